// Agents that read the same mail all want the same people in memory. An e-mail address is declared
// a key, so whoever comes second gets the row of whoever was first, whatever the threads do.
#include <iostream>
#include <thread>
#include <vector>

#include <holdfast/space/store.h>

using namespace holdfast;

namespace {

constexpr int kAgents = 8;
constexpr int kPeople = 25;

std::string email_of(int person) { return "person" + std::to_string(person) + "@example.org"; }

Entity make_person(int person) {
  Entity row;
  row.kind = "person";
  row.name = "Person " + std::to_string(person);
  row.properties =
      JsonObject::parse("properties", R"({"email":")" + email_of(person) + R"("})");
  return row;
}

/// What one agent took each person's id to be, and how many of them it created.
struct Seen {
  std::vector<EntityId> ids;
  int created = 0;
};

Seen meet_everybody(const Space& space) {
  Seen seen;
  for (int person = 0; person < kPeople; ++person) {
    const auto result = space.entities().insert_if_absent(make_person(person));
    // key_taken: somebody else was first, and `current` is that row.
    if (result.applied()) ++seen.created;
    seen.ids.push_back(result.current->id);
  }
  return seen;
}

}  // namespace

int main(int, char** arguments) {
  const auto store = Store::open(arguments[1]);
  const Space space = store->create_space("default", "agents");
  const auto declared =
      space.declare_key({.name = "email", .kind = "person", .path = "/email"});
  std::cout << "key email: " << to_string(declared.outcome) << '\n';

  std::vector<Seen> seen(kAgents);
  std::vector<std::thread> agents;
  for (Seen& each : seen) agents.emplace_back([&] { each = meet_everybody(space); });
  for (std::thread& agent : agents) agent.join();

  int created = 0;
  bool is_agreed = true;
  for (const Seen& each : seen) {
    created += each.created;
    is_agreed = is_agreed && each.ids == seen.front().ids;
  }
  std::cout << kAgents * kPeople << " attempts, " << created << " rows created, "
            << space.entities().count({}) << " people\n";
  std::cout << (is_agreed ? "all agents have the same ids\n" : "the agents disagree!\n");
  const auto found = space.find_by_key("email", email_of(7));
  std::cout << email_of(7) << " is " << found->name << '\n';
}
