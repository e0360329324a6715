#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/limits.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "member_reader.h"

namespace holdfast {

namespace {

using core::Member;
using core::MemberReader;
using core::unescaped;

constexpr std::string_view kNull = "null";
constexpr std::string_view kEmptyObject = "{}";

/// The members of one object of a patch, found by key.
class PatchMembers {
 public:
  struct Entry {
    std::string key;
    Member member;
    std::size_t position;
    bool used;
  };

  explicit PatchMembers(std::string_view object) {
    MemberReader reader(object);
    for (Member member; reader.next(member);) {
      entries_.push_back({unescaped(member.literal), member, entries_.size(), false});
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
  }

  bool empty() const { return entries_.empty(); }

  /// The value for a key, marked as used; null when the patch does not name it.
  const std::string_view* use(std::string_view key) {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), key,
                         [](const Entry& entry, std::string_view k) { return entry.key < k; });
    if (found == entries_.end() || found->key != key) return nullptr;
    found->used = true;
    return &found->member.value;
  }

  /// What use() has not met, in the patch's order.
  std::vector<Member> unused() const {
    std::vector<const Entry*> left;
    for (const Entry& entry : entries_) {
      if (!entry.used) left.push_back(&entry);
    }
    std::sort(left.begin(), left.end(),
              [](const Entry* a, const Entry* b) { return a->position < b->position; });
    std::vector<Member> members;
    members.reserve(left.size());
    for (const Entry* entry : left) members.push_back(entry->member);
    return members;
  }

 private:
  std::vector<Entry> entries_;
};

/// Appends `"key":`, with a comma unless it is the first after the brace at `opened_at`.
void append_key(std::string& out, std::size_t opened_at, std::string_view literal) {
  if (out.size() > opened_at + 1) out += ',';
  out.append(literal);
  out += ':';
}

/// Appends what MergePatch(target, patch) of RFC 7396 gives. Depth is bounded by the patch's.
void append_merged(std::string& out, std::string_view target, std::string_view patch) {
  if (!patch.starts_with('{')) {
    out.append(patch);
    return;
  }
  if (!target.starts_with('{')) target = kEmptyObject;
  PatchMembers changes(patch);
  if (changes.empty()) {
    out.append(target);
    return;
  }
  const std::size_t opened_at = out.size();
  out += '{';
  MemberReader kept(target);
  for (Member member; kept.next(member);) {
    const std::string_view* change = changes.use(unescaped(member.literal));
    if (change != nullptr && *change == kNull) continue;
    append_key(out, opened_at, member.literal);
    if (change == nullptr) {
      out.append(member.value);
    } else {
      append_merged(out, member.value, *change);
    }
  }
  for (const Member& added : changes.unused()) {
    if (added.value == kNull) continue;
    append_key(out, opened_at, added.literal);
    append_merged(out, kEmptyObject, added.value);
  }
  out += '}';
}

}  // namespace

JsonObject merge_patch(std::string_view field, const JsonObject& target, const JsonObject& patch) {
  std::string merged;
  merged.reserve(target.text().size() + patch.text().size());
  append_merged(merged, target.text(), patch.text());
  // Merging nests nothing deeper than the deeper of the two, so only the size can break a limit.
  if (merged.size() > core::kJsonBytesMax) {
    throw InvalidArgument(std::string(field), merged.substr(0, 256),
                          "be at most 1,048,576 bytes of JSON after the patch");
  }
  return JsonObject::trusted(std::move(merged));
}

}  // namespace holdfast
