#include "key_judge.h"

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_catalog.h>

namespace holdfast::exchange {

KeyJudge::KeyJudge(const JsonlFile& file, const std::filesystem::path& path,
                   storage::Transaction& transaction, const Space& space)
    : file_(file),
      path_(path),
      transaction_(transaction),
      space_(space),
      generations_(journal::written_generations(transaction, space.name())) {}

void KeyJudge::take(const Entity& entity) {
  if (generations_.empty()) return;
  std::vector<graph::KeyStore::Named> keys;
  try {
    keys = graph::KeyStore::keys_of(generations_, entity);
  } catch (const InvalidArgument& error) {
    file_.refuse(error.field(), error.value(), error.rule());
  }
  for (const graph::KeyStore::Named& key : keys) {
    const auto [found, is_new] =
        lines_.try_emplace(key.key + " " + key.value.json(), file_.line());
    if (!is_new) refuse(entity, key, "the entity of line " + std::to_string(found->second));
    const auto holder =
        graph::KeyStore::find(transaction_, space_.name(), key.key, key.value);
    if (holder) refuse(entity, key, "entity " + to_string(holder->id));
  }
}

void KeyJudge::refuse(const Entity& entity, const graph::KeyStore::Named& key,
                      const std::string& holder) const {
  throw Conflict(path_.string() + ":" + std::to_string(file_.line()) + ": entity " +
                 to_string(entity.id) + ": " + holder + " has its key " + key.key + " " +
                 key.value.json());
}

}  // namespace holdfast::exchange
