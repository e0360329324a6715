#include <iostream>

#include <holdfast/space/store.h>

using namespace holdfast;

int main(int, char** arguments) {
  const auto store = Store::open(arguments[1]);
  const Space space = store->create_space("default", "quickstart");
  const auto json = [](const char* text) { return JsonObject::parse("properties", text); };

  Entity draft;
  draft.kind = "person";
  draft.name = "Ada";
  const Entity read = space.entities().insert_if_absent(draft).current.value();

  // While an agent thinks about what it read, somebody else writes.
  const auto user = space.entities().patch(read.id, json(R"({"properties":{"born":1815}})"));
  std::cout << "user: " << to_string(user.outcome) << '\n';

  Entity thought = read;
  thought.properties = json(R"({"field":"mathematics"})");
  const auto stale = space.entities().replace(thought, {read.revision, read.deleted_at});
  std::cout << "agent: " << to_string(stale.outcome) << ", the row is now "
            << stale.current->properties.text() << '\n';

  // update() reads, edits and writes under guard, and starts over when it was too late.
  const auto merged = space.entities().update(read.id, [&](Entity& entity) {
    entity.properties = merge_patch("properties", entity.properties, thought.properties);
  });
  std::cout << "agent: " << to_string(merged.outcome) << ", the row is now "
            << merged.current->properties.text() << '\n';
}
