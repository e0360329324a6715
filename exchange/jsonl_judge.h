#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <holdfast/space/space.h>

#include "jsonl_file.h"

namespace holdfast::exchange {

/// What only many lines together show: ids that come twice, ends that are nowhere, unique keys and
/// times that two rows claim. Takes the rows in the order of the file, and refuses the first that
/// breaks a rule with an InvalidArgument that names its place.
/// Memory: some 200 bytes for each row. Thread safety: none.
class FileJudge {
 public:
  /// What the file refers to and does not hold is looked up in the space. All must outlive it.
  FileJudge(const JsonlFile& file, storage::Transaction& transaction, const Space& space)
      : file_(file), transaction_(transaction), space_(space) {}

  void take(const Relation& relation);
  void take(const Entity& entity);
  void take(const Note& note);
  /// Puts the ends of a symmetric relation's edge in order.
  void take(Edge& edge);
  void take(const ScheduledEvent& event);
  /// Streams begin once, with a create, and end with a purge; times do not go back.
  void take(const Event& event);

  /// Live notes about an entity that is live neither in the file nor in the space.
  std::uint64_t abouts_missing() const { return abouts_missing_; }

 private:
  struct KnownEntity {
    bool is_live = false;
    std::string kind;
  };
  struct Place {
    EntityId source;
    EntityId target;
    std::size_t relation = 0;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept;
  };
  struct Times {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::size_t line = 0;
  };

  KnownEntity entity(EntityId id) const;
  const std::optional<Relation>& declared(const std::string& relation);
  std::size_t number_of(const std::string& relation);
  void require_new(const Uuid& id, std::string_view field);
  void require_end(const char* field, EntityId id, const std::optional<std::vector<std::string>>&
                                                       kinds) const;
  void require_free_place(const Edge& edge);

  const JsonlFile& file_;
  storage::Transaction& transaction_;
  const Space& space_;
  std::unordered_map<EntityId, KnownEntity> entities_;
  std::unordered_set<Uuid> ids_;  ///< of the kind that is being read
  std::size_t section_ = 0;
  std::unordered_map<std::string, std::size_t> keys_;  ///< of live notes, to their lines
  std::unordered_map<std::string, std::optional<Relation>> relations_;
  std::unordered_map<std::string, std::size_t> relation_numbers_;
  std::unordered_map<Place, std::vector<Times>, PlaceHash> places_;
  std::unordered_map<std::string, bool> streams_;  ///< kind and id, to whether it has ended
  std::optional<Timestamp> last_at_;
  std::uint64_t abouts_missing_ = 0;
};

}  // namespace holdfast::exchange
