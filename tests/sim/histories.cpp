#include "sim/histories.h"

#include <algorithm>
#include <map>
#include <memory>

#include "support/loop.h"

namespace holdfast::test {
namespace {

using Answer = Operation::Answer;

/// Rows that change at one instant, and clients that call, wait and return one step at a time.
class PerfectRows {
 public:
  PerfectRows(std::uint64_t seed, const HistoryShape& shape)
      : shape_(shape), random_(seed), loop_(seed) {
    for (std::uint64_t row = 0; row < shape.rows; ++row) {
      rows_[row] = history_.initial[row] = static_cast<std::int64_t>(1 + random_.below(100));
    }
  }

  History run() {
    for (std::uint64_t i = 0; i < shape_.clients; ++i) {
      auto client = std::make_shared<OneClient>();
      client->known = history_.initial;
      client->left = shape_.operations;
      loop_.spawn([this, client] { return step(*client); });
    }
    loop_.run();
    return std::move(history_);
  }

 private:
  enum class Phase { idle, called, happened };
  struct OneClient {
    std::map<std::uint64_t, std::int64_t> known;  ///< may be stale
    std::uint64_t left = 0;
    Phase phase = Phase::idle;
    Operation now;
    bool is_write = false;
  };

  bool step(OneClient& client) {
    switch (client.phase) {
      case Phase::idle: call(client); return true;
      case Phase::called: happen(client); return true;
      case Phase::happened: break;
    }
    client.phase = Phase::idle;
    client.now.returned = tick();
    client.known[client.now.row] = client.now.revision;
    history_.operations.push_back(client.now);
    return --client.left > 0;
  }

  void call(OneClient& client) {
    client.phase = Phase::called;
    client.now = {};
    client.now.row = random_.below(shape_.rows);
    client.now.called = tick();
    client.is_write = random_.below(100) < 70;
    client.now.expected = client.known[client.now.row];
  }

  void happen(OneClient& client) {
    client.phase = Phase::happened;
    std::int64_t& row = rows_[client.now.row];
    if (!client.is_write) {
      client.now.expected = 0;
      client.now.revision = row;
      return;
    }
    const std::int64_t next = client.now.expected + 1 + static_cast<std::int64_t>(random_.below(3));
    if (random_.below(100) < shape_.unknown_percent) return stay_unknown(client, next);
    if (row == client.now.expected) {
      client.now.answer = Answer::applied;
      row = next;
    } else {
      client.now.answer = Answer::refused;
    }
    client.now.revision = row;
  }

  /// The write never answers; it lands now, later, or never. The client reads next.
  void stay_unknown(OneClient& client, std::int64_t next) {
    Operation lost = client.now;
    lost.answer = Answer::unknown;
    lost.revision = next;
    history_.operations.push_back(lost);
    if (random_.below(100) < 70) {
      loop_.spawn([this, lost, waits = random_.below(6)]() mutable {
        if (waits-- > 0) return true;
        if (rows_[lost.row] == lost.expected) rows_[lost.row] = lost.revision;
        return false;
      });
    }
    client.is_write = false;
    client.phase = Phase::called;
    client.now.called = tick();
  }

  std::uint64_t tick() { return tick_ += 4; }

  HistoryShape shape_;
  core::Random random_;
  Loop loop_;
  std::map<std::uint64_t, std::int64_t> rows_;
  History history_;
  std::uint64_t tick_ = 0;
};

std::uint64_t end_of(const History& history) {
  std::uint64_t end = 0;
  for (const Operation& operation : history.operations) {
    end = std::max({end, operation.called, operation.returned});
  }
  return end;
}

/// The applied writes that have a successor, each with it.
std::vector<std::pair<Operation*, Operation*>> successions(History& history) {
  std::vector<std::pair<Operation*, Operation*>> found;
  for (Operation& first : history.operations) {
    for (Operation& second : history.operations) {
      if (first.answer == Answer::applied && second.answer == Answer::applied &&
          first.row == second.row && second.expected == first.revision) {
        found.push_back({&first, &second});
      }
    }
  }
  return found;
}

template <class Change>
bool to_a_succession(History& history, core::Random& random, Change change) {
  const auto found = successions(history);
  if (found.empty()) return false;
  const auto& [first, second] = found[random.below(found.size())];
  change(*first, *second);
  return true;
}

Operation at_the_end(const History& history, Operation operation) {
  operation.called = end_of(history) + 4;
  operation.returned = operation.called + 4;
  return operation;
}

bool lose_an_update(History& history, core::Random& random) {
  return to_a_succession(history, random, [](Operation& first, Operation& second) {
    second.expected = first.expected;
  });
}

bool apply_twice(History& history, core::Random& random) {
  return to_a_succession(history, random, [&](Operation& first, Operation&) {
    Operation again = at_the_end(history, first);
    again.revision += 1000;
    history.operations.push_back(again);
  });
}

bool skip_a_revision(History& history, core::Random& random) {
  return to_a_succession(history, random, [&](Operation& first, Operation&) {
    history.operations.erase(history.operations.begin() + (&first - history.operations.data()));
  });
}

bool read_what_is_gone(History& history, core::Random& random) {
  return to_a_succession(history, random, [&](Operation& first, Operation&) {
    Operation read = at_the_end(history, first);
    read.answer = Answer::read;
    history.operations.push_back(read);
  });
}

bool refuse_what_was_expected(History& history, core::Random& random) {
  return to_a_succession(history, random, [&](Operation& first, Operation&) {
    Operation refused = first;
    refused.answer = Answer::refused;
    refused.expected = refused.revision;
    refused.called = first.returned;
    history.operations.push_back(refused);
  });
}

bool stand_still(History& history, core::Random& random) {
  return to_a_succession(history, random, [](Operation&, Operation& second) {
    second.revision = second.expected;
  });
}

bool fork(History& history, core::Random& random) {
  return to_a_succession(history, random, [&](Operation& first, Operation&) {
    Operation branch = at_the_end(history, first);
    branch.revision += 1000;
    history.operations.push_back(branch);
    Operation leaf = at_the_end(history, branch);
    leaf.expected = branch.revision;
    leaf.revision = branch.revision + 1;
    history.operations.push_back(leaf);
  });
}

bool refuse_what_was_applied(History& history, core::Random& random) {
  return to_a_succession(history, random, [](Operation& first, Operation&) {
    first.answer = Answer::refused;
  });
}

bool read_the_future(History& history, core::Random& random) {
  return to_a_succession(history, random, [&](Operation& first, Operation&) {
    Operation read = first;
    read.answer = Answer::read;
    read.called = first.called - 2;
    read.returned = first.called - 1;
    history.operations.push_back(read);
  });
}

bool apply_after_the_successor(History& history, core::Random& random) {
  return to_a_succession(history, random, [](Operation& first, Operation& second) {
    first.called = second.returned + 1;
    first.returned = second.returned + 2;
  });
}

bool make_one_revision_twice(History& history, core::Random& random) {
  return to_a_succession(history, random, [](Operation& first, Operation& second) {
    first.revision = second.revision;
  });
}

bool read_what_nobody_wrote(History& history, core::Random& random) {
  return to_a_succession(history, random, [&](Operation& first, Operation&) {
    Operation read = at_the_end(history, first);
    read.answer = Answer::read;
    read.revision += 1000;
    history.operations.push_back(read);
  });
}

bool name_what_nobody_wrote(History& history, core::Random& random) {
  return to_a_succession(history, random, [](Operation&, Operation& second) {
    second.expected -= 1000;
  });
}

}  // namespace

History make_history(std::uint64_t seed, const HistoryShape& shape) {
  return PerfectRows(seed, shape).run();
}

const std::vector<SeededFault>& seeded_faults() {
  static const std::vector<SeededFault> all = {
      {"an update is lost under the next", &lose_an_update},
      {"two writes land over one expected revision", &apply_twice},
      {"a revision is skipped", &skip_a_revision},
      {"a read is stale after its successor was visible", &read_what_is_gone},
      {"a refusal reports the revision that was expected", &refuse_what_was_expected},
      {"a write does not advance the revision", &stand_still},
      {"the row forks", &fork},
      {"a write lands and is reported refused", &refuse_what_was_applied},
      {"a read sees what is not yet written", &read_the_future},
      {"a write lands after its successor", &apply_after_the_successor},
      {"two writes make one revision", &make_one_revision_twice},
      {"a read sees what nobody wrote", &read_what_nobody_wrote},
      {"a write lands over what nobody wrote", &name_what_nobody_wrote}};
  return all;
}

}  // namespace holdfast::test
