// Counts up entities of a store until it is killed: worker DATABASE COUNT ACKNOWLEDGEMENTS...
// COUNT is the number of writes, 0 for no end. There is one counter for each file named, and each
// acknowledged write appends one byte to its counter's file before the next begins.

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <holdfast/space/store.h>

#include "counter.h"

namespace {

using namespace holdfast;

void count_up(const Space& space, std::size_t number) {
  const auto result = space.entities().update(
      test::counter_id(number),
      [](Entity& row) { row.properties = test::counter_value(test::count_of(row) + 1); },
      {.attempts_max = 100'000});
  if (!result.applied()) throw std::logic_error("update did not apply");
}

int work(const std::vector<std::string>& arguments) {
  const auto store = Store::open(std::filesystem::path(arguments.at(1)));
  const long count = std::stol(arguments.at(2));
  const Space space = store->create_space("main", "worker");
  std::vector<int> files;
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    const int file = open(arguments[i].c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) throw std::runtime_error("cannot open " + arguments[i]);
    files.push_back(file);
    Entity counter;
    counter.id = test::counter_id(files.size() - 1);
    counter.kind = "counter";
    counter.name = "counter";
    counter.properties = test::counter_value(0);
    (void)space.entities().insert_if_absent(counter);
  }
  for (long i = 0; count == 0 || i < count; ++i) {
    const auto number = static_cast<std::size_t>(i) % files.size();
    count_up(space, number);
    if (write(files[number], "+", 1) != 1) throw std::runtime_error("cannot acknowledge");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return work({argv, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s\n", error.what());
    return 1;
  }
}
