// Export and import of a space, as rows a second, each beside a plain program: selects that write
// lines without escaping anything, and inserts of the finished rows and events.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string_view>

#include <holdfast/exchange/export.h>
#include <holdfast/exchange/jsonl.h>

#include "floor.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr auto kDurability = storage::Durability::full;
constexpr std::size_t kRowsAtOnce = 1000;  ///< in a transaction, as in import_jsonl()

Note make_note(const Entity& about, std::size_t number) {
  Note note;
  note.id = {uuid_v5(about.id.uuid, "note")};
  note.kind = "observation";
  note.about = about.id;
  note.content = "Observation " + std::to_string(number) +
                 ": seen again today, with a \"quotation\" and a second line\nof text.";
  return note;
}

Edge make_edge(const Entity& source, const Entity& target) {
  Edge edge;
  edge.id = {uuid_v5(source.id.uuid, "edge")};
  edge.source = source.id;
  edge.relation = "knows";
  edge.target = target.id;
  return edge;
}

template <class Row>
Row dated(Row row, const journal::Appender& appender) {
  row.created_at = appender.now();
  row.revision = first_revision(appender.now());
  return row;
}

/// As many entities as notes about them and edges between them.
void fill(const std::filesystem::path& database, std::size_t each) {
  const auto entities = make_database(database, each);
  const auto store = Store::open(options_for(database, kDurability));
  const Space space = store->space(kSpace, kActor);
  for (std::size_t first = 0; first < each; first += kRowsAtOnce) {
    space.write([&](journal::Appender& appender) {
      for (std::size_t i = first; i < std::min(first + kRowsAtOnce, each); ++i) {
        (void)space.note_store().insert_if_absent(appender,
                                                  dated(make_note(entities[i], i), appender));
        const Edge edge = make_edge(entities[i], entities[(i + 1) % each]);
        (void)graph::EdgeStore::insert_if_absent(appender, dated(edge, appender));
      }
    });
  }
}

Cost export_ours(const std::filesystem::path& database, const std::filesystem::path& file,
                 std::size_t rows) {
  const auto store = Store::open(options_for(database, kDurability));
  return measure(rows, Cpu::process, [&] {
    std::ofstream out(file, std::ios::binary);
    const auto report = exchange::export_space(*store, kSpace, out);
    require(report.entities + report.notes + report.edges == rows, "the export lacks rows");
  });
}

/// Every column of every row, as text or in hexadecimal, one line for each.
std::size_t write_lines(sqlite3* db, const char* sql, std::FILE* out) {
  sqlite3_stmt* select = floor_prepare(db, sql);
  sqlite3_bind_text(select, 1, kSpace, -1, SQLITE_STATIC);
  std::size_t rows = 0;
  std::string line;
  while (sqlite3_step(select) == SQLITE_ROW) {
    line = "{";
    for (int column = 0; column < sqlite3_column_count(select); ++column) {
      line.append("\"").append(sqlite3_column_name(select, column)).append("\":\"");
      if (sqlite3_column_type(select, column) == SQLITE_BLOB) {
        const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(select, column));
        for (int i = 0; i < sqlite3_column_bytes(select, column); ++i) {
          line += "0123456789abcdef"[bytes[i] >> 4];
          line += "0123456789abcdef"[bytes[i] & 15];
        }
      } else if (const auto* text = sqlite3_column_text(select, column)) {
        line += reinterpret_cast<const char*>(text);
      }
      line += "\",";
    }
    line += "}\n";
    std::fwrite(line.data(), 1, line.size(), out);
    ++rows;
  }
  sqlite3_finalize(select);
  return rows;
}

Cost export_floor(const std::filesystem::path& database, const std::filesystem::path& file,
                  std::size_t rows) {
  sqlite3* db = floor_open(database.c_str(), kFloorReads);
  const Cost cost = measure(rows, Cpu::process, [&] {
    std::FILE* out = std::fopen(file.c_str(), "wb");
    require(out != nullptr, "the floor's file cannot be opened");
    std::size_t written = 0;
    for (const char* sql : {"SELECT * FROM entities WHERE space = ? ORDER BY id",
                            "SELECT * FROM notes WHERE space = ? ORDER BY id",
                            "SELECT * FROM edges WHERE space = ? ORDER BY id"}) {
      written += write_lines(db, sql, out);
    }
    std::fclose(out);
    require(written == rows, "the floor lacks rows");
  });
  floor_close(db);
  return cost;
}

Cost import_ours(const std::filesystem::path& file, const std::filesystem::path& to,
                 std::size_t rows) {
  return measure(rows, Cpu::process, [&] {
    const auto store = Store::open(options_for(to, kDurability));
    const auto report =
        exchange::import_jsonl(store->create_space(kSpace, exchange::kJsonlActor), file);
    require(report.entities.created + report.notes.created + report.edges.created == rows,
            "the import lacks rows");
  });
}

/// Only the time that the floor spends writing.
Cost import_floor(const std::filesystem::path& from, const std::filesystem::path& to,
                  std::size_t rows) {
  (void)Store::open(options_for(to, kDurability))->create_space(kSpace, kActor);
  FloorCopy* copy = floor_copy_open(from.c_str(), to.c_str(), kFloorWritesFull, kSpace);
  Cost sum;
  const auto add = [&](const Cost& cost) {
    sum.wall_us += cost.wall_us;
    sum.cpu_us += cost.cpu_us;
  };
  while (floor_copy_read(copy, kRowsAtOnce) > 0) {
    add(measure(rows, Cpu::process, [&] { floor_copy_write(copy); }));
    floor_copy_forget(copy);
  }
  add(measure(rows, Cpu::process, [&] { floor_copy_close(copy); }));
  return sum;
}

Measurement measurement(std::string name, std::string_view floor_is, double at_least) {
  return {.bench = "exchange",
          .name = std::move(name),
          .operation = "row",
          .is_rate = true,
          .floor_is = floor_is,
          .target = Target{Target::Kind::at_least, at_least},
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

void run(std::size_t rounds, std::size_t each) {
  const Folder folder;
  const auto database = folder.file("space.db");
  const auto file = folder.file("space.jsonl");
  fill(database, each);
  const std::size_t rows = 3 * each;
  auto out = measurement("export", "selects of every column, written as lines unescaped", 0.3);
  auto in = measurement("import", "C program inserting the same rows, events and index entries",
                        0.3);
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto floor_file = folder.file("floor.jsonl");
    out.ours.push_back(export_ours(database, file, rows));
    out.floor.push_back(export_floor(database, floor_file, rows));
    const auto to = folder.file("ours.db");
    const auto floor_to = folder.file("floor.db");
    in.ours.push_back(import_ours(file, to, rows));
    in.floor.push_back(import_floor(to, floor_to, rows));
    for (const auto& path : {to, floor_to, floor_file}) std::filesystem::remove(path);
  }
  out.also = {{"rows", static_cast<double>(rows)},
              {"bytes_per_row", static_cast<double>(std::filesystem::file_size(file)) /
                                    static_cast<double>(rows)}};
  in.also = {{"rows", static_cast<double>(rows)}};
  print(out, folder);
  print(in, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(argc, argv, {{"rounds", 3}, {"each", 20'000}});
  try {
    holdfast::bench::run(arguments["rounds"], arguments["each"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_exchange: %s\n", error.what());
    return 1;
  }
}
