#include "mcp_memory_source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/json_text.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/graph/relation_store.h>
#include <holdfast/notes/note_store.h>

#include "line_reader.h"

namespace holdfast::exchange {
namespace {

/// Part of the file format: imports made by different versions must agree.
/// 6b1d7f0e-2c54-5e0a-9d3b-6d63702d6d65
constexpr Uuid kMcpNamespace{{0x6b, 0x1d, 0x7f, 0x0e, 0x2c, 0x54, 0x5e, 0x0a, 0x9d, 0x3b, 0x6d,
                              0x63, 0x70, 0x2d, 0x6d, 0x65}};
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr JsonLimits kRecordLimits{.bytes = kLineBytesMax, .depth = core::kJsonDepthMax};

Uuid id_of(std::string_view what, std::string_view key) {
  return uuid_v5(kMcpNamespace, std::string(what) + ":" + std::string(key));
}

/// One object of the source; the text lives as long as this.
struct Record {
  JsonObject object;
  std::vector<JsonMember> members;

  explicit Record(JsonObject given) : object(std::move(given)), members(object.members()) {}

  const JsonMember* member(std::string_view key) const {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const JsonMember& m) { return m.key == key; });
    return found == members.end() ? nullptr : &*found;
  }
  /// The text of a string member; empty when it is missing, null or no string.
  std::string text(std::string_view key) const {
    const JsonMember* found = member(key);
    return found != nullptr && found->value.starts_with('"') ? core::string_field(*found) : "";
  }
};

/// A relation until all entities are known.
struct Link {
  std::string text;  ///< of the whole record
  std::string from;
  std::string to;
  std::string relation;
  std::map<std::string, std::string> more;  ///< members that are not known, as JSON
};

using Members = std::map<std::string, std::string>;

void add_unknown(const Record& record, const std::vector<std::string_view>& known, Members& to) {
  for (const JsonMember& member : record.members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    to.emplace(member.key, std::string(member.value));
  }
}

JsonObject under_mcp(const Members& members) {
  if (members.empty()) return {};
  core::JsonWriter inside;
  for (const auto& [key, value] : members) inside.raw(key, value);
  return JsonObject::parse("mcp", core::JsonWriter().raw("mcp", inside.finish()).finish());
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, McpMemoryReport& report)
      : lines_(file), report_(report) {}

  McpMemoryRows read() {
    while (lines_.next()) read_line();
    for (Entity& entity : rows_.entities) {
      entity.properties = under_mcp(unknown_[entity.id]);
    }
    for (const Link& link : links_) add_edge(link);
    for (const auto& [name, loops] : relations_) {
      Relation relation;
      relation.relation = name;
      relation.loops = loops;
      rows_.relations.push_back(std::move(relation));
    }
    return std::move(rows_);
  }

 private:
  /// A lost newline leaves several objects on one line.
  void read_line() {
    const std::string_view text = lines_.text();
    std::size_t at = lines_.line() == 1 && text.starts_with(kByteOrderMark) ? 3 : 0;
    for (std::size_t objects = 0;; ++objects) {
      at = std::min(text.find_first_not_of(" \t\r", at), text.size());
      if (at == text.size()) return;
      if (objects == 1) ++report_.joined_lines;
      if (text[at] != '{') lines_.refuse(at + 1, "line", text.substr(at), "be JSON objects");
      const std::size_t end = std::min(end_of_object(text, at), text.size());
      try {
        take(Record(JsonObject::parse("record", text.substr(at, end - at), kRecordLimits)));
      } catch (const InvalidArgument& found) {
        lines_.refuse(found, at);
      }
      at = end;
    }
  }

  void take(const Record& record) {
    ++report_.records;
    const std::string type = record.text("type");
    if (type == "entity" && !record.text("name").empty()) return take_entity(record);
    Link link{.text = record.object.text(),
              .from = record.text("from"),
              .to = record.text("to"),
              .relation = record.text("relationType"),
              .more = {}};
    if (type != "relation" || link.from.empty() || link.to.empty() || link.relation.empty()) {
      ++report_.unknown_records;
      return keep_record(record.object.text());
    }
    link.from = core::check_name("from", link.from);
    link.to = core::check_name("to", link.to);
    link.relation = core::check_name("relationType", link.relation);
    add_unknown(record, {"type", "from", "to", "relationType"}, link.more);
    (void)under_mcp(link.more);
    links_.push_back(std::move(link));
  }

  void take_entity(const Record& record) {
    Entity entity;
    entity.name = core::check_name("name", record.text("name"));
    const std::string type = record.text("entityType");
    entity.kind = type.empty() ? "unknown" : core::check_name("entityType", type);
    entity.id = {id_of("entity", entity.name)};
    std::vector<std::string_view> known = {"type", "name", "entityType", "observations"};
    const auto [found, is_new] = entities_.try_emplace(entity.id, rows_.entities.size());
    if (is_new) {
      rows_.entities.push_back(entity);
    } else {
      ++report_.merged_entities;
      // The first says the kind; what another says is kept beside it.
      const bool agrees = type.empty() || rows_.entities[found->second].kind == entity.kind;
      if (!agrees) std::erase(known, "entityType");
    }
    Members& unknown = unknown_[entity.id];
    add_unknown(record, known, unknown);
    (void)under_mcp(unknown);
    const JsonMember* observations = record.member("observations");
    if (observations == nullptr) return;
    for (const std::string& text : core::string_list_field(*observations)) {
      add_observation(entity.id, text);
    }
  }

  void add_observation(EntityId entity, const std::string& text) {
    core::check_content("observations", text);
    Note note;
    note.id = {id_of("observation", to_string(entity) + "\n" + text)};
    note.kind = "observation";
    note.about = entity;
    note.content = text;
    if (notes_.insert(note.id).second) {
      rows_.notes.push_back(std::move(note));
    } else {
      ++report_.repeated_observations;
    }
  }

  void keep_record(const std::string& text) {
    core::check_content("record", text);
    Note note;
    note.id = {id_of("record", text)};
    note.kind = "mcp:record";
    note.content = text;
    if (notes_.insert(note.id).second) rows_.notes.push_back(std::move(note));
  }

  void add_edge(const Link& link) {
    const EntityId source{id_of("entity", link.from)};
    const EntityId target{id_of("entity", link.to)};
    for (const auto& [end, name] : {std::pair(source, link.from), std::pair(target, link.to)}) {
      if (entities_.count(end) > 0) continue;
      ++report_.unknown_records;
      keep_record(link.text);
      rows_.strays.push_back({"edge", link.from + " -" + link.relation + "-> " + link.to,
                              "names an entity that the source does not have, " + name +
                                  "; kept as a note of kind mcp:record"});
      return;
    }
    bool& loops = relations_[link.relation];
    loops = loops || source == target;
    Edge edge;
    edge.id = {id_of("edge", to_string(source) + "\n" + link.relation + "\n" + to_string(target))};
    edge.source = source;
    edge.relation = link.relation;
    edge.target = target;
    edge.properties = under_mcp(link.more);
    if (edges_.insert(edge.id).second) {
      rows_.edges.push_back(std::move(edge));
    } else {
      ++report_.repeated_relations;
    }
  }

  LineReader lines_;
  McpMemoryReport& report_;
  McpMemoryRows rows_;
  std::unordered_map<EntityId, std::size_t> entities_;  ///< to their indexes in rows_
  std::unordered_map<EntityId, Members> unknown_;
  std::unordered_set<NoteId> notes_;
  std::unordered_set<EdgeId> edges_;
  std::map<std::string, bool> relations_;  ///< to whether one of its edges is a loop
  std::vector<Link> links_;
};

}  // namespace

McpMemoryRows read_mcp_memory(const std::filesystem::path& file, McpMemoryReport& report) {
  return Reader(file, report).read();
}

}  // namespace holdfast::exchange
