#pragma once

#include <exception>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <holdfast/journal/event.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/rebuild.h>

namespace holdfast::journal {

/// Makes the derived rows of one generation: reads sources, derives outside any transaction, and
/// writes what the guard lets through. Rebuilds and followers both come through here.
class GenerationWriter {
 public:
  /// Unless `anew`, a generation that is being built takes over what the serving one has of equal
  /// inputs, where both derive alike.
  GenerationWriter(const ProjectionSite& site, Generation generation, bool anew = false);

  Generation& generation() { return generation_; }
  const Generation& generation() const { return generation_; }

  /// One source as it was read.
  struct Read {
    Derivation derivation;
    bool is_same = false;  ///< the stored version was made from equal input: nothing to derive
    bool is_taken_over = false;  ///< what is derived is that of the serving generation
    bool is_waiting = false;     ///< what is derived is for its writer to bring
    std::exception_ptr stopped{};  ///< the work was, before anything was derived from it
    std::string problem;   ///< why nothing can be derived from it
  };

  /// Reads up to `limit` sources behind the walk's place, which it moves on; empty at the end.
  std::vector<Read> read_on(std::size_t limit);
  /// Reads the sources that the events are about, each once.
  std::vector<Read> read_changed(const std::vector<Event>& events);
  /// Reads these sources, whether or not they have changed.
  std::vector<Read> read_these(const std::set<std::pair<std::string_view, Uuid>>& sources);
  void derive(std::vector<Read>& batch) const;

  struct Written {
    std::map<std::string, std::uint64_t> outcomes;
    std::vector<DerivedProblem> problems;
    std::uint64_t skipped = 0;
    std::uint64_t clashes = 0;  ///< of the problems, those that others' derived rows make
    bool is_wrong_generation = false;
  };
  /// Leaves out what was stopped.
  Written write(storage::Transaction& transaction, const std::vector<Read>& batch) const;
  /// Of what is left out. Whoever has it keeps no place behind the batch, and throws it once the
  /// rest is written.
  static std::exception_ptr stopped(const std::vector<Read>& batch);

  std::uint64_t count_sources() const;

 private:
  Read read(storage::Transaction& transaction, std::string_view kind, const Uuid& id,
            const std::optional<StoredRow>& row, Sequence as_of) const;
  void take_over(storage::Transaction& transaction, Read& read) const;
  void write_one(storage::Transaction& transaction, const Read& read, Written& written) const;

  const ProjectionSite& site_;
  Generation generation_;
  const Projection& projection_;
  std::vector<std::string_view> kinds_;
  std::optional<Generation> like_;  ///< the serving one, when it may be taken over from
};

/// Runs `change` in a write transaction that has the space's row locked, and commits it.
template <class Change>
void in_locked_space(const ProjectionSite& site, const Change& change) {
  site.database.writer().submit(
      [&](storage::Transaction& transaction) {
        change(transaction, lock_space(transaction, site.space));
        return storage::Verdict::keep;
      },
      to_string(site.environment.ids.next()));
}

}  // namespace holdfast::journal
