#pragma once

#include <string_view>

#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/space/models.h>

namespace holdfast {

DeclaredModel read_model(const journal::DeclaredProjection& declared);

/// Throws NotFound("model") for a name that stands for nothing, or for something else.
journal::DeclaredProjection require_model(storage::Transaction& transaction,
                                          std::string_view space, std::string_view name);

/// Throws Full when the space has as many projections as it may.
void require_room_for_projection(storage::Transaction& transaction, const std::string& space);

/// Throws Busy, naming who, while the model is being rebuilt.
void refuse_while_rebuilt(storage::Transaction& transaction, const Access& access,
                          std::string_view name);

/// Runs `change` in a write transaction that has the space's row locked; it answers with a Verdict.
template <class Change>
void change_models(const Access& access, const Change& change) {
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        (void)journal::lock_space(transaction, access.space);
        return change(transaction);
      },
      to_string(access.environment.ids.next()));
}

}  // namespace holdfast
