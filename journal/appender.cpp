#include <holdfast/journal/appender.h>

#include <algorithm>
#include <set>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/storage/connection.h>
#include <holdfast/storage/guard.h>

namespace holdfast::journal {
namespace {

constexpr std::string_view kSpaceKind = "space";  // its row is not one of the space's rows

std::size_t bytes(const std::optional<std::string>& body) { return body ? body->size() : 0; }

}  // namespace

Appender::Appender(storage::Transaction& transaction, const WriteContext& context)
    : transaction_(transaction), context_(context) {
  // Every write transaction locks this row first, so a space's writes are serial everywhere.
  const std::string sql =
      "SELECT last_seq, last_at, settings, row_count, body_bytes, projections FROM spaces"
      " WHERE space = $1 AND deleted_at IS NULL" +
      std::string(transaction.connection().lock_rows());
  auto lock = transaction.prepare(sql);
  lock.bind(context.space);
  if (!lock.step()) throw NotFound("space", context.space);
  first_seq_ = last_seq_ = lock.get<Sequence>(0);
  now_ = context.environment.clock.now();
  at_ = std::max(now_, lock.get<Timestamp>(1));
  settings_ = read_settings(JsonObject::trusted(lock.get<std::string>(2)));
  rows_ = lock.get<Sequence>(3);
  body_bytes_ = lock.get<Sequence>(4);
  projections_ = lock.get<Sequence>(5);
}

Appender::Previous Appender::last_of_stream(const Change& change) {
  if (change.stream == Stream::begins) return {};
  auto select = transaction_.prepare(
      "SELECT seq, stream_seq FROM events WHERE space = $1 AND kind = $2 AND id = $3"
      " ORDER BY stream_seq DESC LIMIT 1");
  select.bind(context_.space, change.kind, change.id);
  if (!select.step()) {
    throw Corrupt(std::string(change.kind) + " " + to_string(change.id) +
                  " has a row but no events");
  }
  return {.seq = select.get<Sequence>(0), .stream_seq = select.get<Sequence>(1)};
}

void Appender::require_room(const Change& change) const {
  if (change.kind == kSpaceKind) return;  // or the limit could not be raised
  const bool is_new = change.stream == Stream::begins;
  if (is_new && settings_.rows_max &&
      !storage::holds("space.limit", "rows", rows_ < *settings_.rows_max)) {
    throw Full("space " + context_.space + " holds " + std::to_string(rows_) +
               " rows, as many as its rows_max allows; purge deleted rows or raise rows_max");
  }
  // What makes room must stay possible.
  if (change.op == "delete" || change.op == "absorb" || !change.body) return;
  if (settings_.bytes_max &&
      !storage::holds("space.limit", "bytes",
                      body_bytes_ + bytes(change.body) <= *settings_.bytes_max)) {
    throw Full("space " + context_.space + " keeps " + std::to_string(body_bytes_) +
               " bytes in its journal, and " + std::to_string(bytes(change.body)) +
               " more would pass its bytes_max of " + std::to_string(*settings_.bytes_max) +
               "; purge deleted rows or raise bytes_max");
  }
}

bool Appender::append(const Change& change) {
  require_room(change);
  return insert(change, context_.actor, context_.request_id);
}

bool Appender::insert(const Change& change, const std::string& actor,
                      const std::string& request_id) {
  const Previous previous = last_of_stream(change);
  const Sequence seq = next_seq();
  auto insert = transaction_.prepare(
      "INSERT INTO events (space, seq, kind, id, stream_seq, prev_seq, op, body, actor,"
      " request_id, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
      " ON CONFLICT (space, kind, id, stream_seq) DO NOTHING");
  insert.bind(context_.space, seq, change.kind, change.id, previous.stream_seq + 1, previous.seq,
              change.op, change.body, actor, request_id, at_);
  if (insert.run() == 0) return false;
  last_seq_ = seq;
  last_request_id_ = request_id;
  body_bytes_ += bytes(change.body);
  if (change.stream == Stream::begins && change.kind != kSpaceKind) ++rows_;
  if (projections_ > 0) derive_from(change);
  return true;
}

const std::vector<Generation>& Appender::generations() {
  if (!generations_) {
    generations_ = projections_ == 0 ? std::vector<Generation>{}
                                     : written_generations(transaction_, context_.space);
  }
  return *generations_;
}

void Appender::derive_from(const Change& change) {
  for (const Generation& generation : generations()) {
    const bool is_followed = generation.upkeep == Upkeep::followed;
    // A followed projection of a type that this program does not know is others' affair.
    if (!is_followed || context_.registry.knows_projection(generation.type)) {
      const auto kinds =
          context_.registry.projection(generation.type).sources(generation.declaration);
      if (std::find(kinds.begin(), kinds.end(), change.kind) == kinds.end()) continue;
    }
    const bool is_known = context_.registry.knows_projection(generation.type);
    if (!is_followed) {
      derive_from(change, generation);
    } else if (!change.body && is_known) {
      // What is purged is gone for good, whether or not anybody follows.
      (void)write_derived(transaction_, context_.registry, context_.space, generation,
                          {.kind = change.kind, .id = change.id, .as_of = last_seq_}, at_);
    } else {
      pending_.push_back({.projection = generation.projection,
                          .generation = generation.number,
                          .kind = std::string(change.kind),
                          .id = change.id});
    }
  }
}

void Appender::derive_from(const Change& change, const Generation& generation) {
  const Projection& projection = context_.registry.projection(generation.type);
  if (generation.signature != signature(projection, generation.declaration)) {
    throw Unsupported("projection " + generation.projection +
                      " was made by the rules of another version of this program; rebuild it: "
                      "`holdfast projection rebuild " + generation.projection + "`");
  }
  Derivation derivation{.kind = change.kind, .id = change.id, .as_of = last_seq_};
  const bool is_serving = generation.state == GenerationState::serving;
  bool has_failed = false;
  if (change.body && change.is_live) {
    const StoredRow row{.id = change.id, .seq = last_seq_, .body = *change.body, .is_live = true};
    try {
      derivation.input = projection.input(generation.declaration, change.kind, row);
    } catch (const InvalidArgument&) {
      // What is still being built refuses nothing; it will not come into force.
      if (is_serving) throw;
      has_failed = true;
    }
  }
  if (derivation.input) {
    const std::vector<std::string> inputs = {*derivation.input};
    derivation.derived = projection.derive(generation.declaration, inputs).at(0).value;
  }
  const auto result =
      write_derived(transaction_, context_.registry, context_.space, generation, derivation, at_);
  if (result.outcome == DerivedOutcome::clash) {
    if (is_serving) {
      throw InvalidArgument(generation.projection, derivation.derived,
                            "be of one row alone: " + to_string(*result.clashes_with) + " has it");
    }
    has_failed = true;
  }
  if (has_failed) count_clash(transaction_, context_.space, generation);
}

DerivedOutcome Appender::give(std::string_view kind, const StoredRow& row,
                              const Generation& generation, std::string derived) {
  const Projection& projection = context_.registry.projection(generation.type);
  const auto input = projection.input(generation.declaration, kind, row);
  if (!input) {
    throw InvalidArgument(generation.projection, std::string(kind) + " " + to_string(row.id),
                          "be given for rows that it draws from");
  }
  const Derivation derivation{.kind = kind,
                              .id = row.id,
                              .as_of = last_seq_,
                              .input = input,
                              .derived = std::move(derived),
                              .is_given = true};
  const auto result = write_derived(transaction_, context_.registry, context_.space, generation,
                                    derivation, at_);
  if (result.outcome == DerivedOutcome::applied) {
    std::erase(pending_, Pending{.projection = generation.projection,
                                 .generation = generation.number,
                                 .kind = std::string(kind),
                                 .id = row.id});
  }
  return result.outcome;
}

std::vector<std::string> Appender::pending() const {
  std::set<std::string> names;
  for (const Pending& pending : pending_) names.insert(pending.projection);
  return {names.begin(), names.end()};
}

void Appender::begin_replay(Timestamp first) {
  auto date_back =
      transaction_.prepare("UPDATE events SET at = $2 WHERE space = $1 AND at > $2");
  date_back.bind(context_.space, first);
  date_back.run();
  at_ = first;
}

bool Appender::is_live_after(const Event& event) {
  if (projections_ == 0 || !context_.registry.knows(event.kind)) return true;
  const auto mark = context_.registry.probe(transaction_, context_.space, event.kind, event.id);
  return mark && mark->is_live();
}

void Appender::replay(const Event& event) {
  if (event.at < at_) {
    throw InvalidArgument("at", std::to_string(to_us(event.at)),
                          "not be before that of the event before, " + std::to_string(to_us(at_)));
  }
  at_ = event.at;
  const Change change{.kind = event.kind,
                      .id = event.id,
                      .op = event.op,
                      .body = event.body,
                      .stream = begins_stream(event.op) ? Stream::begins : Stream::continues,
                      .is_live = is_live_after(event)};
  if (!insert(change, event.actor, event.request_id)) {
    throw InvalidArgument("op", event.op, "begin the history of a row only once");
  }
  if (event.op == "purge") --rows_;
}

void Appender::forget(std::string_view kind, const Uuid& id) {
  auto select = transaction_.prepare(
      "SELECT body FROM events WHERE space = $1 AND kind = $2 AND id = $3 AND body IS NOT NULL");
  select.bind(context_.space, kind, id);
  while (select.step()) body_bytes_ -= select.get<std::string_view>(0).size();
  auto blank = transaction_.prepare(
      "UPDATE events SET body = NULL WHERE space = $1 AND kind = $2 AND id = $3");
  blank.bind(context_.space, kind, id);
  blank.run();
  --rows_;
}

void Appender::finish() {
  if (last_seq_ == first_seq_) return;
  auto update = transaction_.prepare(
      "UPDATE spaces SET last_seq = $2, last_at = $3, row_count = $4, body_bytes = $5"
      " WHERE space = $1");
  update.bind(context_.space, last_seq_, at_, rows_, body_bytes_);
  update.run();
  transaction_.witness(storage::Witness{
      .space = context_.space, .seq = last_seq_, .request_id = last_request_id_});
}

}  // namespace holdfast::journal
