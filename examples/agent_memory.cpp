// What an agent does all day: it notes what it hears about people, relates them, recalls, and
// forgets what it is told to forget.
#include <iostream>

#include <holdfast/space/store.h>

using namespace holdfast;

namespace {

/// The person of that name, known already or not. The id is made from the name, so two agents that
/// hear of one person at once make one row.
EntityId person(const Space& space, const std::string& name) {
  static const Uuid people = parse_uuid("namespace", "5e0b5d44-6f0c-4f0e-9f4e-0d6a4a3c7c11");
  Entity entity;
  entity.id = {uuid_v5(people, name)};
  entity.kind = "person";
  entity.name = name;
  (void)space.entities().insert_if_absent(entity);  // `exists` is as good as `applied`
  return entity.id;
}

void observe(const Space& space, EntityId about, const std::string& content) {
  Note note;
  note.kind = "observation";
  note.about = about;
  note.content = content;
  (void)space.notes().insert_if_absent(note);
}

void relate(const Space& space, EntityId source, const std::string& relation, EntityId target) {
  Edge edge;
  edge.source = source;
  edge.relation = relation;
  edge.target = target;
  const auto result = space.edges().insert_if_absent(edge);
  std::cout << relation << ": " << to_string(result.outcome) << '\n';
}

void recall(const Space& space, EntityId id) {
  std::cout << space.entities().get(id).name << ":\n";
  NoteFilter about;
  about.about = id;
  for (const Note& note : space.notes().list(about).items) {
    std::cout << "  " << note.content << '\n';
  }
  for (const Neighbor& neighbor : space.neighbors(id).items) {
    std::cout << "  " << neighbor.edge.relation << ' ' << neighbor.entity.name << '\n';
  }
}

}  // namespace

int main(int, char** arguments) {
  const auto store = Store::open(arguments[1]);
  const Space space = store->create_space("default", "agent");
  Relation married;
  married.relation = "married_to";
  married.symmetric = true;
  (void)space.declare_relation(married);

  const EntityId ada = person(space, "Ada Lovelace");
  const EntityId william = person(space, "William King");
  observe(space, ada, "Wrote the first program for a machine that was never built.");
  observe(space, ada, "Is fond of horses.");
  relate(space, ada, "married_to", william);
  relate(space, william, "married_to", ada);  // says the same, so it is refused as taken
  recall(space, william);
  recall(space, ada);

  // Told to forget: deleted first, which can be undone, then purged, which cannot.
  NoteFilter about;
  about.about = ada;
  const NoteId horses = space.notes().list(about).items.back().id;
  (void)space.notes().remove(horses);
  const auto purged = space.notes().purge(horses);
  std::cout << "purge: " << to_string(purged.outcome) << '\n';
  recall(space, ada);
}
