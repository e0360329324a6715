#include <holdfast/space/store.h>

int main(int, char** arguments) {
  const auto store = holdfast::Store::open(arguments[1]);
  const auto space = store->create_space("default", "consumer");
  holdfast::Entity draft;
  draft.kind = "person";
  draft.name = "Ada";
  return space.entities().insert_if_absent(draft).applied() ? 0 : 1;
}
