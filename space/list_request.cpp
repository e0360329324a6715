#include <holdfast/space/list_request.h>

#include <array>

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>

namespace holdfast {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"entity", "edge", "note"};
constexpr std::array<std::string_view, 3> kDeleted = {"exclude", "include", "only"};

template <class Names>
std::size_t place_of(const JsonMember& member, const Names& names) {
  const std::string name = core::string_field(member);
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw InvalidArgument(member.key, name, "be one of " + known);
}

std::vector<PropertyCondition> conditions_field(const JsonMember& member) {
  std::vector<PropertyCondition> conditions;
  for (const std::string& text : core::string_list_field(member)) {
    const std::string place = member.key + "[" + std::to_string(conditions.size()) + "]";
    conditions.push_back(parse_condition(place, text));
  }
  return conditions;
}

using core::Field;

/// The members that every filter has, and `own`.
std::vector<Field> with_shared(RowFilter& filter, std::vector<Field> own) {
  const auto time = [&own](std::string_view name, std::optional<Timestamp>& to) {
    own.push_back({name, [&to](const JsonMember& m) { to = core::optional_time_field(m); }});
  };
  time("created_from", filter.created.from);
  time("created_to", filter.created.to);
  time("changed_from", filter.changed.from);
  time("changed_to", filter.changed.to);
  own.push_back({"deleted", [&filter](const JsonMember& m) {
                   filter.deleted = static_cast<Deleted>(place_of(m, kDeleted));
                 }});
  own.push_back(
      {"where", [&filter](const JsonMember& m) { filter.where = conditions_field(m); }});
  return own;
}

Field text_field(std::string_view name, std::optional<std::string>& to) {
  return {name, [&to](const JsonMember& m) { to = core::optional_string_field(m); }};
}
Field list_field(std::string_view name, std::vector<std::string>& to) {
  return {name, [&to](const JsonMember& m) { to = core::string_list_field(m); }};
}
Field entity_field(std::string_view name, std::optional<EntityId>& to) {
  return {name, [&to](const JsonMember& m) { to = core::optional_id_field<EntityId>(m); }};
}
Field time_field(std::string_view name, std::optional<Timestamp>& to) {
  return {name, [&to](const JsonMember& m) { to = core::optional_time_field(m); }};
}

void read(const JsonObject& document, EntityFilter& filter) {
  core::apply_fields(
      document, with_shared(filter, {text_field("kind", filter.kind),
                                     text_field("name", filter.name),
                                     text_field("name_prefix", filter.name_prefix),
                                     list_field("tags_any", filter.tags_any),
                                     list_field("tags_all", filter.tags_all)}));
}
void read(const JsonObject& document, EdgeFilter& filter) {
  core::apply_fields(document, with_shared(filter, {text_field("relation", filter.relation),
                                                    entity_field("source", filter.source),
                                                    entity_field("target", filter.target),
                                                    time_field("valid_at", filter.valid_at)}));
}
void read(const JsonObject& document, NoteFilter& filter) {
  core::apply_fields(
      document,
      with_shared(filter, {text_field("kind", filter.kind),
                           text_field("key", filter.key),
                           text_field("key_prefix", filter.key_prefix),
                           entity_field("about", filter.about),
                           time_field("live_at", filter.live_at),
                           {"include_expired",
                            [&filter](const JsonMember& m) {
                              filter.include_expired = core::boolean_field(m);
                            }},
                           list_field("tags_any", filter.tags_any),
                           list_field("tags_all", filter.tags_all)}));
}

/// A filter as JSON, what is at its default left out.
class FilterWriter {
 public:
  FilterWriter& text(std::string_view name, const std::optional<std::string>& value) {
    if (value) out_.string(name, *value);
    return *this;
  }
  FilterWriter& texts(std::string_view name, const std::vector<std::string>& values) {
    if (values.empty()) return *this;
    std::string list = "[";
    for (const std::string& value : values) {
      if (list.size() > 1) list += ',';
      core::append_json_string(list, value);
    }
    out_.raw(name, list + "]");
    return *this;
  }
  FilterWriter& time(std::string_view name, const std::optional<Timestamp>& value) {
    if (value) out_.integer(name, to_us(*value));
    return *this;
  }
  FilterWriter& entity(std::string_view name, const std::optional<EntityId>& value) {
    if (value) out_.string(name, to_string(*value));
    return *this;
  }
  FilterWriter& flag(std::string_view name, bool value) {
    if (value) out_.boolean(name, value);
    return *this;
  }
  std::string finish(const RowFilter& filter) {
    time("created_from", filter.created.from).time("created_to", filter.created.to);
    time("changed_from", filter.changed.from).time("changed_to", filter.changed.to);
    if (filter.deleted != Deleted::exclude) {
      out_.string("deleted", kDeleted[static_cast<std::size_t>(filter.deleted)]);
    }
    std::vector<std::string> where;
    for (const PropertyCondition& condition : filter.where) where.push_back(text_of(condition));
    texts("where", where);
    return out_.finish();
  }

 private:
  struct Scalar {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
      // As a member, so that the spelling is the one place's that knows how.
      const std::string object = core::JsonWriter().real("", value).finish();
      return object.substr(4, object.size() - 5);
    }
    std::string operator()(const std::string& value) const {
      std::string text;
      core::append_json_string(text, value);
      return text;
    }
  };
  /// As parse_condition() reads it.
  static std::string text_of(const PropertyCondition& condition) {
    std::string text;
    core::append_json_string(text, condition.pointer);
    text += " " + std::string(to_string(condition.op));
    const bool is_bare = condition.op == PropertyOperator::exists ||
                         condition.op == PropertyOperator::absent;
    return is_bare ? text : text + " " + std::visit(Scalar{}, condition.value);
  }

  core::JsonWriter out_;
};

struct Write {
  std::string operator()(const EntityFilter& filter) const {
    return FilterWriter()
        .text("kind", filter.kind)
        .text("name", filter.name)
        .text("name_prefix", filter.name_prefix)
        .texts("tags_any", filter.tags_any)
        .texts("tags_all", filter.tags_all)
        .finish(filter);
  }
  std::string operator()(const EdgeFilter& filter) const {
    return FilterWriter()
        .text("relation", filter.relation)
        .entity("source", filter.source)
        .entity("target", filter.target)
        .time("valid_at", filter.valid_at)
        .finish(filter);
  }
  std::string operator()(const NoteFilter& filter) const {
    return FilterWriter()
        .text("kind", filter.kind)
        .text("key", filter.key)
        .text("key_prefix", filter.key_prefix)
        .entity("about", filter.about)
        .time("live_at", filter.live_at)
        .flag("include_expired", filter.include_expired)
        .texts("tags_any", filter.tags_any)
        .texts("tags_all", filter.tags_all)
        .finish(filter);
  }
};

JsonObject filter_field(const JsonMember& member) {
  if (member.value.starts_with('{')) return JsonObject::trusted(std::string(member.value));
  throw InvalidArgument(member.key, std::string(member.value), "be an object");
}

}  // namespace

ListRequest ListRequest::parse(const JsonObject& document) {
  ListRequest request;
  std::optional<std::size_t> kind;
  JsonObject filter;
  bool is_page = false;
  core::apply_fields(
      document,
      {{"kind", [&](const JsonMember& m) { kind = place_of(m, kKinds); }},
       {"filter", [&](const JsonMember& m) { filter = filter_field(m); }},
       {"count", [&](const JsonMember& m) { request.is_count = core::boolean_field(m); }},
       {"limit",
        [&](const JsonMember& m) {
          const auto limit = core::integer_field(m);
          if (limit < 1) throw InvalidArgument("limit", std::to_string(limit), "be 1 or more");
          request.page.limit = static_cast<std::size_t>(limit);
          is_page = true;
        }},
       {"cursor", [&](const JsonMember& m) {
          request.page.cursor = core::string_field(m);
          is_page = true;
        }}});
  if (!kind) throw InvalidArgument("kind", "", "be given");
  if (request.is_count && is_page) {
    throw InvalidArgument("count", "true", "not be given beside a limit or a cursor");
  }
  if (*kind == 1) request.filter = EdgeFilter{};
  if (*kind == 2) request.filter = NoteFilter{};
  try {
    std::visit([&](auto& one) { read(filter, one); }, request.filter);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("filter." + error.field(), error.value(), error.rule());
  }
  return request;
}

std::string ListRequest::to_json() const {
  core::JsonWriter out;
  out.string("kind", kKinds[filter.index()]).raw("filter", std::visit(Write{}, filter));
  if (is_count) return out.boolean("count", true).finish();
  out.unsigned_integer("limit", page.limit);
  if (!page.cursor.empty()) out.string("cursor", page.cursor);
  return out.finish();
}

}  // namespace holdfast
