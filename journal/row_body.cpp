#include <holdfast/journal/row_body.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>

namespace holdfast::journal {
namespace {

/// Absent in bodies: the event has it. Absent in relations without them: the kinds of ends.
bool may_be_absent(std::string_view field) {
  return field == "seq" || field == "source_kinds" || field == "target_kinds";
}

Timestamp time_field(const JsonMember& member) {
  const auto time = core::optional_time_field(member);
  if (!time) throw InvalidArgument(member.key, "null", "be a time");
  return *time;
}

}  // namespace

void add_common_fields(std::vector<core::Field>& fields, Uuid& id, Timestamp& created_at,
                       Revision& revision, std::optional<Timestamp>& deleted_at, Sequence& seq) {
  fields.insert(
      fields.end(),
      {{"id", [&](const JsonMember& m) { id = parse_uuid(m.key, core::string_field(m)); }},
       {"created_at", [&](const JsonMember& m) { created_at = time_field(m); }},
       {"revision",
        [&](const JsonMember& m) {
          revision = {core::integer_field(m)};
          if (revision.us >= 1) return;
          throw InvalidArgument(m.key, std::string(m.value), "be 1 or more");
        }},
       {"deleted_at", [&](const JsonMember& m) { deleted_at = core::optional_time_field(m); }},
       {"seq", [&](const JsonMember& m) {
          const auto given = core::integer_field(m);
          if (given < 0) throw InvalidArgument(m.key, std::string(m.value), "be 0 or more");
          seq = static_cast<Sequence>(given);
        }}});
}

void read_body(const JsonObject& document, const std::vector<core::Field>& fields) {
  core::apply_fields(document, fields);
  const auto members = document.members();
  for (const core::Field& field : fields) {
    const bool is_there = std::any_of(members.begin(), members.end(), [&](const JsonMember& m) {
      return m.key == field.name;
    });
    if (!is_there && !may_be_absent(field.name)) {
      throw InvalidArgument(std::string(field.name), "", "be given");
    }
  }
}

bool is_purged(storage::Transaction& transaction, std::string_view space, std::string_view kind,
               const Uuid& id) {
  const auto last = last_event(transaction, space, kind, id);
  return last && last->op == "purge";
}

void refuse_purged(const Event& event) {
  throw Gone(event.kind + " " + to_string(event.id) +
             " was purged; what it held at sequence " + std::to_string(event.seq) +
             " is kept no longer");
}

}  // namespace holdfast::journal
