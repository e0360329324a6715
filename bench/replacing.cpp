#include "replacing.h"

#include <algorithm>

#include <holdfast/core/input.h>

#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

/// The body that the store writes for this row: its JSON without the sequence.
std::string body_of(const Entity& row) {
  std::string text = graph::EntityStore::to_json(row);
  text.resize(text.rfind(",\"seq\":"));
  return text + "}";
}

std::string request_id_of(std::size_t number) {
  Uuid id{{0x01, 0x9a}};
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return to_string(id);
}

}  // namespace

void Replacing::prepare(std::size_t count) {
  steps_.clear();
  Entity edited;
  for (std::size_t i = 0; i < count; ++i) {
    edit(edited, ++made_);
    steps_.push_back({scattered(made_, rows_.size()), edited.properties});
  }
}

void Replacing::run(const Space& space) {
  for (Step& step : steps_) {
    Entity& row = rows_[step.row];
    row.properties = std::move(step.properties);
    const Expected as_read{.revision = row.revision, .deleted_at = row.deleted_at};
    auto result = space.entities().replace(std::move(row), as_read);
    require(result.applied(), "a replace was refused");
    row = std::move(*result.current);
  }
}

void Replacing::run_in_plans(const Space& space, std::size_t steps) {
  for (std::size_t first = 0; first < steps_.size(); first += steps) {
    const std::size_t end = std::min(steps_.size(), first + steps);
    Plan plan = space.plan();
    for (std::size_t i = first; i < end; ++i) {
      Entity row = rows_[steps_[i].row];
      row.properties = std::move(steps_[i].properties);
      const Expected as_read{.revision = row.revision, .deleted_at = row.deleted_at};
      plan.replace(std::move(row), as_read);
    }
    auto result = space.apply(plan);
    require(result.applied(), "a plan was refused");
    for (std::size_t i = first; i < end; ++i) {
      rows_[steps_[i].row] = std::get<Entity>(std::move(result.steps[i - first].current));
    }
  }
}

FloorReplacing::FloorReplacing(std::vector<Entity> rows, const std::filesystem::path& database,
                               storage::Durability durability)
    : rows_(std::move(rows)),
      floor_(floor_replacer_open(
          database.c_str(),
          durability == storage::Durability::full ? kFloorWritesFull : kFloorWritesNormal, kSpace,
          kActor)) {}

void FloorReplacing::prepare(std::size_t count) {
  texts_.clear();
  changes_.clear();
  texts_.reserve(count);  // the changes point into it
  for (std::size_t i = 0; i < count; ++i) {
    Entity& row = rows_[scattered(++made_, rows_.size())];
    FloorChange change{};
    change.read_revision_us = row.revision.us;
    edit(row, made_);
    ++row.revision.us;
    const Texts& texts = texts_.emplace_back(Texts{.tags = core::tags_to_json(row.tags),
                                                   .body = body_of(row),
                                                   .request_id = request_id_of(made_),
                                                   .properties = row.properties.text()});
    std::copy(row.id.uuid.bytes.begin(), row.id.uuid.bytes.end(), change.id);
    change.kind = row.kind.c_str();
    change.name = row.name.c_str();
    change.properties = texts.properties.c_str();
    change.tags = texts.tags.c_str();
    change.body = texts.body.c_str();
    change.request_id = texts.request_id.c_str();
    change.created_at_us = to_us(row.created_at);
    change.revision_us = row.revision.us;
    changes_.push_back(change);
  }
}

void require_same_events(const std::filesystem::path& ours, const std::filesystem::path& floor,
                         std::size_t events) {
  const auto totals = [](const std::filesystem::path& path) {
    sqlite3* db = floor_open(path.c_str(), kFloorReads);
    const std::pair result{floor_integer(db, "SELECT count(*) FROM events"),
                           floor_integer(db, "SELECT sum(length(body)) FROM events")};
    floor_close(db);
    return result;
  };
  const auto wanted = static_cast<long long>(events);
  require(totals(ours).first == wanted, "the store has another number of events");
  require(totals(ours) == totals(floor), "the floor wrote other events than the store");
}

}  // namespace holdfast::bench
