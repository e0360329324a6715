// The history of one row, and the row itself, must cost the same however large the store is: many
// rows of few events each, in a small store and in one with a hundred times as many events.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "reading.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kEventsEach = 10;
constexpr std::size_t kWritesAtOnce = 1000;

/// Rewrites every row in turn, so that the events of one row lie far apart.
void add_history(const std::filesystem::path& path, std::vector<Entity>& rows) {
  const auto store = Store::open(options_for(path, storage::Durability::normal));
  const Space space = store->space(kSpace, kActor);
  for (std::size_t change = 1; change < kEventsEach; ++change) {
    for (std::size_t first = 0; first < rows.size(); first += kWritesAtOnce) {
      const std::size_t end = std::min(rows.size(), first + kWritesAtOnce);
      space.write([&](journal::Appender& appender) {
        for (std::size_t i = first; i < end; ++i) {
          Entity next = rows[i];
          edit(next, change);
          next.revision = next_revision(appender.at(), next.revision);
          auto result = graph::EntityStore::replace_if_unchanged(
              appender, std::move(next), {rows[i].revision, rows[i].deleted_at});
          require(result.applied(), "a replace was refused");
          rows[i] = std::move(*result.current);
        }
      });
    }
  }
}

/// One store with its readers.
class Shelf {
 public:
  Shelf(const Folder& folder, std::size_t events)
      : path_(folder.file(std::to_string(events) + ".db")),
        rows_(make_database(path_, events / kEventsEach)) {
    add_history(path_, rows_);
    store_ = Store::open(options_for(path_, storage::Durability::full));
    floor_ = open_reader(path_);
    const auto seq = store_->space(kSpace, kActor).tail().seq;
    require(seq == 1 + rows_.size() * kEventsEach, "events are missing");
  }

  /// Reads of the first `distinct` rows, again and again in a scattered order.
  Cost histories(std::size_t distinct, std::size_t reads) {
    const Space space = store_->space(kSpace, kActor);
    return each(distinct, reads, [&](const Entity& row) {
      require(space.entities().history(row.id).items.size() == kEventsEach, "events are missing");
    });
  }
  Cost floor_histories(std::size_t distinct, std::size_t reads) {
    return each(distinct, reads, [&](const Entity& row) {
      const auto* id = row.id.uuid.bytes.data();
      require(floor_history(floor_.get(), id, 100, &bytes_) == kEventsEach, "events are missing");
    });
  }
  Cost gets(std::size_t distinct, std::size_t reads) {
    const Space space = store_->space(kSpace, kActor);
    return each(distinct, reads, [&](const Entity& row) {
      require(space.entities().get(row.id).revision == row.revision, "an older row came");
    });
  }

 private:
  template <class Read>
  Cost each(std::size_t distinct, std::size_t reads, Read read) {
    return measure(reads, Cpu::thread, [&] {
      for (std::size_t i = 0; i < reads; ++i) {
        read(rows_[scattered(i % distinct, rows_.size())]);
      }
    });
  }

  const std::filesystem::path path_;
  std::vector<Entity> rows_;
  std::unique_ptr<Store> store_;
  Reader floor_;
  std::size_t bytes_ = 0;
};

Measurement begin(std::string name, std::string_view floor_is) {
  return {.bench = "history",
          .name = std::move(name),
          .operation = "read",
          .floor_is = floor_is,
          .target = {},
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

void run(std::size_t rounds, std::size_t small_events, std::size_t large_events,
         std::size_t reads) {
  const Folder folder;
  Shelf small(folder, small_events);
  Shelf large(folder, large_events);
  constexpr std::size_t kFew = 10;
  const std::size_t all = large_events / kEventsEach;

  const std::string sizes =
      std::to_string(large_events) + " events against " + std::to_string(small_events);
  constexpr std::string_view kSmall = "the same read in the small store";
  Measurement history = begin("history, " + sizes, kSmall);
  Measurement get = begin("get by id, " + sizes, kSmall);
  history.target = get.target = Target{Target::Kind::at_most, 1.25};
  Measurement scattered_history = begin("history of any row, " + sizes, kSmall);
  Measurement scattered_get = begin("get of any row, " + sizes, kSmall);
  Measurement c_growth = begin("history of any row in C, " + sizes, kSmall);
  Measurement against_c = begin("history against C", "C program, prepared statement");
  against_c.target = Target{Target::Kind::at_most, 4};

  for (std::size_t round = 0; round <= rounds; ++round) {
    const auto add = [round](Measurement& to, const Cost& ours, const Cost& floor) {
      if (round == 0) return;  // warms up
      to.ours.push_back(ours);
      to.floor.push_back(floor);
    };
    const Cost in_small = small.histories(kFew, reads);
    const Cost in_large = large.histories(kFew, reads);
    add(history, in_large, in_small);
    add(against_c, in_large, large.floor_histories(kFew, reads));
    add(get, large.gets(kFew, reads), small.gets(kFew, reads));
    add(scattered_history, large.histories(all, reads), small.histories(all, reads));
    add(c_growth, large.floor_histories(all, reads), small.floor_histories(all, reads));
    add(scattered_get, large.gets(all, reads), small.gets(all, reads));
  }
  for (const Measurement* measured :
       {&history, &get, &scattered_history, &c_growth, &scattered_get, &against_c}) {
    print(*measured, folder);
  }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(
      argc, argv, {{"rounds", 7}, {"small", 1000}, {"large", 100'000}, {"reads", 2000}});
  try {
    holdfast::bench::run(arguments["rounds"], arguments["small"], arguments["large"],
                         arguments["reads"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_history: %s\n", error.what());
    return 1;
  }
}
