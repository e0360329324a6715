// The answer to a write was lost: the process died, the connection broke. Asked again under the
// same request id, from any process, the store answers as it did and does nothing twice.
#include <iostream>

#include <holdfast/core/error.h>
#include <holdfast/space/store.h>

using namespace holdfast;

namespace {

Note payment(int amount) {
  Note note;
  note.kind = "payment";
  note.content = std::to_string(amount);
  return note;
}

}  // namespace

int main(int, char** arguments) {
  NoteId first;
  {
    const auto store = Store::open(arguments[1]);
    const Space space = store->create_space("default", "agent");
    const auto answer = space.notes().insert_if_absent(payment(10), {.request_id = "invoice-7"});
    first = answer.current->id;
    std::cout << to_string(answer.outcome) << '\n';
  }
  // Here the agent died before it wrote down that invoice 7 is paid. It starts anew and pays again.
  const auto store = Store::open(arguments[1]);
  const Space space = store->space("default", "agent");
  const auto again = space.notes().insert_if_absent(payment(10), {.request_id = "invoice-7"});
  std::cout << to_string(again.outcome) << (again.repeated ? ", long ago" : ", twice!") << '\n';
  std::cout << (again.current->id == first ? "the same note" : "another note") << '\n';
  std::cout << space.notes().count({}) << " payment\n";

  // The id stands for that request and no other.
  try {
    (void)space.notes().insert_if_absent(payment(99), {.request_id = "invoice-7"});
  } catch (const InvalidArgument& error) {
    std::cout << "refused: " << error.field() << '\n';
  }
}
