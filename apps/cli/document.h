#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/json_text.h>
#include <holdfast/core/revision.h>
#include <holdfast/space/write_options.h>
#include <holdfast/storage/page.h>

#include "options.h"

namespace holdfast::cli {

/// Everything in a file, or on stdin for "-". Throws NotFound, Unavailable, and InvalidArgument
/// beyond 16 MiB.
std::string read_source(std::string_view field, const std::string& name);

/// The document in a file or on stdin. It may be as large and deep as any row that `get --json`
/// prints; the fields in it have their own limits.
JsonObject read_document(std::string_view field, const std::string& name);
/// A plan: its rows may be as deep as any, within the steps that hold them.
JsonObject read_plan_document(const std::string& name);
/// A document as an argument, or behind "@" a file's name, or "-" for stdin.
JsonObject read_argument(std::string_view field, const std::string& argument);

/// Whether the document has the field.
bool names(const JsonObject& document, std::string_view field);

/// The document that says what the flags say.
JsonObject fields_document(const FieldOptions& fields);

/// A whole row as `get --json` prints it, or just the fields a caller may set.
struct RowDocument {
  JsonObject fields;                 ///< without what the store sets
  JsonObject stored;                 ///< what the store sets, as far as it was given
  std::optional<Revision> revision;  ///< of the row that was read
  std::optional<Timestamp> deleted_at;
};
RowDocument read_row_document(const std::string& name);

Revision parse_revision(std::string_view text);
/// A whole number, 0 or more.
std::uint64_t parse_whole(std::string_view field, std::string_view text, std::string_view rule);
WriteOptions write_options(const Options& options);
PageRequest page_request(const Options& options);

}  // namespace holdfast::cli
