#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include <holdfast/graph/key_store.h>
#include <holdfast/space/space.h>

#include "jsonl_file.h"

namespace holdfast::exchange {

/// Judges new entities of a file by the keys that are in force in the space, before anything is
/// written: what cannot be a key is an InvalidArgument, and a key that another line or an entity of
/// the space has a Conflict; both name the line.
/// Memory: the keys of the file, as long as they are. Thread safety: none.
class KeyJudge {
 public:
  /// All must outlive it.
  KeyJudge(const JsonlFile& file, const std::filesystem::path& path,
           storage::Transaction& transaction, const Space& space);

  /// The entity that was read last, which the space does not have.
  void take(const Entity& entity);

 private:
  [[noreturn]] void refuse(const Entity& entity, const graph::KeyStore::Named& key,
                           const std::string& holder) const;

  const JsonlFile& file_;
  const std::filesystem::path& path_;
  storage::Transaction& transaction_;
  const Space& space_;
  std::vector<journal::Generation> generations_;
  std::unordered_map<std::string, std::size_t> lines_;  ///< by the key's name and value
};

}  // namespace holdfast::exchange
