#include <holdfast/core/version.h>
#include <holdfast/space/store.h>

int main(int, char** arguments) {
  static_assert(HOLDFAST_VERSION_MAJOR == 0 && HOLDFAST_VERSION_MINOR >= 2);
  if (!holdfast::library_version().starts_with("0.")) return 2;
  const auto store = holdfast::Store::open(arguments[1]);
  const auto space = store->create_space("default", "consumer");
  holdfast::Entity draft;
  draft.kind = "person";
  draft.name = "Ada";
  return space.entities().insert_if_absent(draft).applied() ? 0 : 1;
}
