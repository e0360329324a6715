#include "support.h"

#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

JsonObject json(std::string_view text) { return JsonObject::parse("properties", text); }

/// Draws calls on one space; what is refused is refused.
class RandomCalls {
 public:
  RandomCalls(TestStore& store, std::uint64_t seed) : store_(store), random_(seed) {}

  void call() {
    store_.environment.clock.advance(std::chrono::microseconds(random_.below(2'000'000)));
    if (chance(3)) store_.environment.clock.advance(-5s);
    switch (random_.below(12)) {
      case 0: case 1: return insert_entity();
      case 2: case 3: return insert_edge();
      case 4: case 5: return insert_note();
      case 6: return change();
      case 7: return remove();
      case 8: return restore();
      case 9: return move();
      case 10: return chance(40) ? purge() : change();
      default: return declare();
    }
  }

 private:
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  const Space& space() const { return *store_.space; }
  template <class Item>
  const Item& pick(const std::vector<Item>& items) {
    return items[random_.below(items.size())];
  }

  std::string word() {
    static const std::vector<std::string> words = {
        "ada", "Zo\u00eb", "\"quoted\"", "a\\b", "\u00e9", "line\nbreak", "\x01", "\U0001F980",
        "tab\there", "\u2028"};
    return pick(words) + std::to_string(random_.below(20));
  }
  std::string kind() { return chance(50) ? "person" : "place"; }
  std::string relation() { return "r" + std::to_string(random_.below(6)); }
  JsonObject properties() {
    static const std::vector<std::string> texts = {
        "{}", R"({"b":1.50,"a":[1,2,{"x":null}]})", R"({"":"\u0001","deleted_at":null})",
        R"({"n":-9223372036854775808,"f":1E-7})", R"({"t":true})"};
    return json(pick(texts));
  }
  std::vector<std::string> tags() {
    if (chance(60)) return {};
    return {"t" + std::to_string(random_.below(3)), word()};
  }
  std::optional<Timestamp> time() {
    if (chance(50)) return std::nullopt;
    return from_us(static_cast<std::int64_t>(random_.below(1000)) - 500);
  }
  double number() {
    static const std::vector<double> numbers = {1.0, 0.1, -0.0, 1e300, 5e-324, -2.5, 3};
    return pick(numbers);
  }

  void insert_entity() {
    Entity row;
    row.kind = kind();
    row.name = word();
    row.properties = properties();
    row.tags = tags();
    if (!entities_.empty() && chance(10)) row.merged_into = pick(entities_);
    const auto result = space().entities().insert_if_absent(row);
    if (result.applied()) entities_.push_back(result.current->id);
  }
  void insert_edge() {
    if (entities_.empty()) return;
    Edge row;
    row.source = pick(entities_);
    row.target = pick(entities_);
    row.relation = relation();
    row.weight = number();
    row.properties = properties();
    row.valid_from = time();
    row.valid_to = time();
    if (row.valid_from && row.valid_to && *row.valid_to <= *row.valid_from) row.valid_to.reset();
    const auto result = space().edges().insert_if_absent(row);
    if (result.applied()) edges_.push_back(result.current->id);
  }
  void insert_note() {
    Note row;
    row.kind = word();
    row.content = chance(5) ? std::string(5000, '\n') : word();
    row.properties = properties();
    row.tags = tags();
    row.salience = number();
    row.expires_at = time();
    if (chance(30)) row.key = "k" + std::to_string(random_.below(8));
    if (!entities_.empty() && chance(60)) row.about = pick(entities_);
    const auto result = space().notes().insert_if_absent(row);
    if (result.applied()) notes_.push_back(result.current->id);
  }

  /// Runs the call that is for the kind drawn, on one of its rows.
  template <class OnEntity, class OnEdge, class OnNote>
  void on_any(OnEntity on_entity, OnEdge on_edge, OnNote on_note) {
    const std::uint64_t draw = random_.below(3);
    if (draw == 0 && !entities_.empty()) on_entity(pick(entities_));
    if (draw == 1 && !edges_.empty()) on_edge(pick(edges_));
    if (draw == 2 && !notes_.empty()) on_note(pick(notes_));
  }
  void change() {
    on_any([&](EntityId id) { (void)space().entities().patch(id, json(R"({"kind":"place"})")); },
           [&](EdgeId id) { (void)space().edges().patch(id, json(R"({"weight":0.5})")); },
           [&](NoteId id) { (void)space().notes().patch(id, json(R"({"key":null})")); });
  }
  void remove() {
    on_any([&](EntityId id) { (void)space().entities().remove(id); },
           [&](EdgeId id) { (void)space().edges().remove(id); },
           [&](NoteId id) { (void)space().notes().remove(id); });
  }
  void restore() {
    on_any([&](EntityId id) { (void)space().entities().restore(id); },
           [&](EdgeId id) { (void)space().edges().restore(id); },
           [&](NoteId id) { (void)space().notes().restore(id); });
  }
  void purge() {
    on_any([&](EntityId id) { (void)space().entities().purge(id); },
           [&](EdgeId id) { (void)space().edges().purge(id); },
           [&](NoteId id) { (void)space().notes().purge(id); });
  }
  void move() {
    if (edges_.empty()) return;
    EdgeMove to;
    to.target = pick(entities_);
    (void)space().retarget_edge(pick(edges_), to);
  }
  void declare() {
    Relation row;
    row.relation = relation();
    row.symmetric = chance(40);
    row.loops = chance(60);
    if (chance(20)) row.source_kinds = {{"person", "place"}};
    if (row.symmetric) row.target_kinds = row.source_kinds;
    (void)space().declare_relation(row);
  }

  TestStore& store_;
  core::Random random_;
  std::vector<EntityId> entities_;
  std::vector<EdgeId> edges_;
  std::vector<NoteId> notes_;
};

}  // namespace

std::filesystem::path Files::write(std::string_view name, std::string_view text) const {
  std::ofstream out(path(name), std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write a test's file");
  return path(name);
}

std::string exported(Store& store, const exchange::ExportOptions& options,
                     std::string_view space) {
  std::ostringstream out;
  const auto report = exchange::export_space(store, space, out, options);
  REQUIRE(report.complete);
  CHECK(report.bytes == out.str().size());
  return out.str();
}

exchange::JsonlReport import_text(Store& store, std::string_view text,
                                  const exchange::JsonlOptions& options,
                                  const exchange::ImportControl& control,
                                  std::string_view space) {
  const Files files;
  const auto path = files.write("in.jsonl", text);
  return exchange::import_jsonl(store.create_space(space, exchange::kJsonlActor), path, options,
                                control);
}

exchange::McpMemoryReport import_memory(Store& store, std::string_view text,
                                        const exchange::McpMemoryOptions& options,
                                        const exchange::ImportControl& control) {
  const Files files;
  const auto path = files.write("memory.json", text);
  return exchange::import_mcp_memory(store.create_space("main", exchange::kMcpMemoryActor), path,
                                     options, control);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the text: " + std::string(from));
  return text.replace(at, from.size(), to);
}

std::string picture(Store& store, std::string_view space) {
  const auto snapshot = store.database().snapshot();
  const auto tail = journal::tail(snapshot->transaction(), space);
  return std::to_string(tail.seq) + "\n" + exported(store, {}, space);
}

void add_notes(TestStore& store, std::size_t count, const std::string& content) {
  store.space->write([&](journal::Appender& appender) {
    for (std::size_t i = 0; i < count; ++i) {
      Note note;
      note.id = {store.environment.ids->next()};
      note.kind = "n";
      note.content = content;
      note.created_at = appender.now();
      note.revision = first_revision(appender.now());
      (void)store.space->note_store().insert_if_absent(appender, note);
    }
  });
}

std::vector<Entity> add_entities(TestStore& store, std::size_t count) {
  std::vector<Entity> entities;
  store.space->write([&](journal::Appender& appender) {
    entities.clear();
    for (std::size_t i = 0; i < count; ++i) {
      Entity entity;
      entity.id = {store.environment.ids->next()};
      entity.kind = "person";
      entity.name = "e";
      entity.created_at = appender.now();
      entity.revision = first_revision(appender.now());
      (void)graph::EntityStore::insert_if_absent(appender, entity);
      entities.push_back(entity);
    }
  });
  return entities;
}

void rename_all(TestStore& store, const std::vector<Entity>& entities, const std::string& name) {
  store.space->write([&](journal::Appender& appender) {
    for (Entity entity : entities) {
      const Expected expected = as_read(entity);
      entity.name = name;
      entity.revision = next_revision(appender.now(), entity.revision);
      (void)graph::EntityStore::replace_if_unchanged(appender, entity, expected);
    }
  });
}

void fill_at_random(TestStore& store, std::uint64_t seed, std::size_t calls) {
  RandomCalls random(store, seed);
  for (std::size_t i = 0; i < calls; ++i) random.call();
}

EveryKind::EveryKind(TestStore& store) {
  const auto pass = [&] { store.environment.clock.advance(1s); };
  Relation knows_relation;
  knows_relation.relation = "knows";
  knows_relation.symmetric = true;
  (void)store.space->declare_relation(knows_relation);
  Relation likes;
  likes.relation = "likes";
  likes.loops = true;
  likes.source_kinds = {{"person"}};
  (void)store.space->declare_relation(likes);
  pass();
  ada = store.add_entity("Ada");
  bob = store.add_entity("Bob");
  gone = store.add_entity("Gone");
  pass();
  knows = store.add_edge(bob.id, "knows", ada.id);
  store.add_edge(ada.id, "likes", ada.id);
  went_with = store.add_edge(ada.id, "misses", gone.id);
  about_gone = store.add_note("remembered", gone.id);
  Note note;
  note.kind = "fact";
  note.key = "motto";
  note.content = "first";
  note.about = ada.id;
  keyed = store.space->notes().insert_if_absent(note).current.value();
  pass();
  gone = store.space->entities().remove(gone.id).current.value();
  const auto deleted = store.add_note("deleted");
  (void)store.space->notes().remove(deleted.id);
  pass();
  ada = store.space->entities().patch(ada.id, json(R"({"tags":["t"]})")).current.value();
  went_with = store.space->edges().get(went_with.id);
}

}  // namespace holdfast::test
