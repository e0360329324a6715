#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/exchange/export.h>
#include <holdfast/exchange/jsonl.h>
#include <holdfast/exchange/mcp_memory.h>

#include "support/catch.h"
#include "support/fixture.h"

namespace holdfast::test {

/// A folder for the files of one test.
class Files {
 public:
  std::filesystem::path write(std::string_view name, std::string_view text) const;
  std::filesystem::path path(std::string_view name) const { return dir_ / std::string(name); }

 private:
  TempDir dir_;
};

/// The space's export as one text.
std::string exported(Store& store, const exchange::ExportOptions& options = {},
                     std::string_view space = "main");

/// Imports the text, as a file, into the space.
exchange::JsonlReport import_text(Store& store, std::string_view text,
                                  const exchange::JsonlOptions& options = {},
                                  const exchange::ImportControl& control = {},
                                  std::string_view space = "main");
exchange::McpMemoryReport import_memory(Store& store, std::string_view text,
                                        const exchange::McpMemoryOptions& options = {},
                                        const exchange::ImportControl& control = {});

/// The lines of a text, without their newlines.
std::vector<std::string> lines_of(std::string_view text);
std::string joined(const std::vector<std::string>& lines);
/// The text with `from` replaced by `to`, which must be there.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// What the call throws, as "code field: rule" or "code: message"; "nothing" without an error.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return std::string("invalid_argument ") + error.field() + ": " + error.rule();
  } catch (const Error& error) {
    return std::string(error.code()) + ": " + error.what();
  }
  return "nothing";
}
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Rows, deleted ones included, and where the journal ends: equal texts mean that nothing changed.
std::string picture(Store& store, std::string_view space = "main");

/// That many notes, or entities of one name, in one transaction.
void add_notes(TestStore& store, std::size_t count, const std::string& content);
std::vector<Entity> add_entities(TestStore& store, std::size_t count);
/// Gives them another name, in one transaction.
void rename_all(TestStore& store, const std::vector<Entity>& entities, const std::string& name);

/// Fills the space with rows of every kind and state, by way of some hundred calls drawn from the
/// seed: moves, deletions with their cascades, restores, purges, a clock that also steps back.
void fill_at_random(TestStore& store, std::uint64_t seed, std::size_t calls);

/// A small space with every kind of row: declared relations, a symmetric edge, a tombstone that
/// waits for its entity, keyed notes, one about a deleted entity.
struct EveryKind {
  explicit EveryKind(TestStore& store);
  Entity ada;
  Entity bob;
  Entity gone;       ///< deleted
  Edge knows;        ///< symmetric
  Edge went_with;    ///< deleted with `gone`
  Note keyed;
  Note about_gone;   ///< live
};

}  // namespace holdfast::test
