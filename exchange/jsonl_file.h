#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <holdfast/core/json_text.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/graph/relation.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/space_settings.h>
#include <holdfast/notes/note.h>
#include <holdfast/schedule/event.h>

#include "line_reader.h"

namespace holdfast::exchange {

inline constexpr std::int64_t kFormatVersion = 1;

/// The first line.
struct FileHeader {
  std::string space;
  SpaceSettings settings;
  bool tombstones = true;
  bool history = false;
};

/// The last line: how many lines of each kind there are.
struct FileCounts {
  std::uint64_t relations = 0;
  std::uint64_t entities = 0;
  std::uint64_t notes = 0;
  std::uint64_t edges = 0;
  std::uint64_t scheduled_events = 0;
  std::uint64_t events = 0;
  std::uint64_t rows() const { return relations + entities + notes + edges + scheduled_events; }
  bool operator==(const FileCounts&) const = default;
};

using FileRow = std::variant<Relation, Entity, Note, Edge, ScheduledEvent, Event>;

/// Reads an export line by line: each row in stored form, with no sequence. Everything that one
/// line can show to be wrong, and the order and number of lines, is an InvalidArgument that names
/// file, line, column and field. Memory: one line.
class JsonlFile {
 public:
  /// Reads the header. Relations get the ids they have in `space`.
  JsonlFile(const std::filesystem::path& file, std::string space);

  const FileHeader& header() const { return header_; }
  /// Nothing after the trailer, which agreed and came last.
  std::optional<FileRow> next();
  const FileCounts& counts() const { return counts_; }
  std::size_t line() const { return lines_.line(); }

  /// Refuses a field of the row that was read last.
  [[noreturn]] void refuse(std::string_view field, std::string_view value, std::string rule) const;

 private:
  void read_header();
  FileRow read_row(const JsonMember& member);
  void check_end(const JsonMember& member);
  void count(std::string_view kind);

  LineReader lines_;
  std::string space_;
  FileHeader header_;
  FileCounts counts_;
  std::size_t section_ = 0;
};

}  // namespace holdfast::exchange
