// A consolidation that thinks for two seconds while somebody else writes the same rows: nothing is
// locked meanwhile, nothing is lost, and the thought is had again only because its input changed.
#include <iostream>
#include <thread>

#include <holdfast/space/store.h>

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

Note observation(EntityId about, const std::string& content) {
  Note note;
  note.kind = "observation";
  note.about = about;
  note.content = content;
  return note;
}

/// Stands for a call of a language model.
std::string summary_of(const std::vector<Note>& notes) {
  core::SystemClock().sleep_for(2s);
  std::string text;
  for (const Note& note : notes) text += (text.empty() ? "" : "; ") + note.content;
  return text;
}

}  // namespace

int main(int, char** arguments) {
  const auto store = Store::open(arguments[1]);
  const Space space = store->create_space("default", "consolidator");
  const Space users = store->space("default", "user");
  Entity ada;
  ada.kind = "person";
  ada.name = "Ada";
  ada.id = space.entities().insert_if_absent(ada).current->id;
  (void)users.notes().insert_if_absent(observation(ada.id, "drinks tea"));
  NoteFilter about_ada;
  about_ada.kind = "observation";
  about_ada.about = ada.id;

  int thoughts = 0;
  std::thread user;
  const auto result = space.transact([&](Transaction& t) {
    const auto notes = t.list(about_ada).items;
    std::cout << "thought " << ++thoughts << " is about " << notes.size() << " notes\n";
    if (thoughts == 1) {
      user = std::thread([&] {
        (void)users.notes().insert_if_absent(observation(ada.id, "and coffee at work"));
      });
    }
    Note summary = observation(ada.id, summary_of(notes));
    summary.kind = "summary";
    t.create(summary);
    for (const Note& note : notes) t.remove(note.id);
  });
  user.join();

  std::cout << to_string(result.outcome) << " after " << thoughts << " thoughts\n";
  NoteFilter all;
  all.about = ada.id;
  for (const Note& note : space.notes().list(all).items) {
    std::cout << note.kind << ": " << note.content << '\n';
  }
}
