#include "event_report.h"

#include <map>

#include <holdfast/core/json_text.h>

#include "text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kValueColumnsMax = 70;

using Members = std::map<std::string, std::string>;

Members members_of(const Event& event) {
  Members members;
  if (!event.body) return members;
  const auto body = JsonObject::trusted(*event.body);
  for (const JsonMember& member : body.members()) {
    members.emplace(member.key, member.value);
  }
  return members;
}

std::string value_of(const Members& members, const std::string& key) {
  const auto found = members.find(key);
  return found == members.end() ? "null" : shortened(printable(found->second), kValueColumnsMax);
}

/// The fields that differ, in the order of `body`.
FieldList differences(const Event& event, const Members& before, const Members& after) {
  FieldList fields;
  if (!event.body) {
    fields.add("body", "purged");
    return fields;
  }
  const bool is_first = before.empty();
  const auto body = JsonObject::trusted(*event.body);
  for (const JsonMember& member : body.members()) {
    if (member.key == "id" || member.key == "created_at" || member.key == "revision") continue;
    const std::string now = value_of(after, member.key);
    if (is_first) {
      if (now != "null" && now != "{}" && now != "[]") fields.add(member.key, now);
      continue;
    }
    const auto old = before.find(member.key);
    if (old != before.end() && old->second == member.value) continue;
    fields.add(member.key, value_of(before, member.key) + " -> " + now);
  }
  return fields;
}

}  // namespace

std::string to_json(const Event& event) {
  core::JsonWriter out;
  out.unsigned_integer("seq", event.seq)
      .string("kind", event.kind)
      .string("id", to_string(event.id))
      .unsigned_integer("stream_seq", event.stream_seq)
      .unsigned_integer("prev_seq", event.prev_seq)
      .string("op", event.op);
  if (event.body) {
    out.raw("body", *event.body);
  } else {
    out.null("body");
  }
  return out.string("actor", event.actor)
      .string("request_id", event.request_id)
      .integer("at", to_us(event.at))
      .finish();
}

std::string line(const Event& event) {
  return std::to_string(event.seq) + "  " + to_rfc3339(event.at) + "  " + printable(event.op) +
         " " + printable(event.kind) + " " + to_string(event.id) + "  by " + printable(event.actor);
}

std::string fields_text(const Event& event) {
  return differences(event, {}, members_of(event)).text();
}

std::string history_text(const std::vector<Event>& events) {
  std::string out;
  Members before;
  for (const Event& event : events) {
    Members after = members_of(event);
    out += std::to_string(event.seq) + "  " + to_rfc3339(event.at) + "  " + printable(event.op) +
           "  by " + printable(event.actor) + "\n";
    // A later page begins without the event before it, so it shows that row whole.
    out += differences(event, before, after).text();
    before = std::move(after);
  }
  return out;
}

}  // namespace holdfast::cli
