#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/storage/transaction.h>
#include <holdfast/vectors/embedder.h>

/// The rows of `vectors` and `vector_changes`: vectors of each source by chunk, and the number of
/// the last change of each source's vectors. Changes are numbered one after the other within a
/// generation, and a source that has lost its vectors keeps its last.
namespace holdfast::vectors {

/// One generation of one model. The dimension is only looked at where vectors are read.
struct VectorsOf {
  std::string_view space;
  std::string_view model;
  std::uint64_t generation = 0;
  std::size_t dimension = 0;
};

/// 0: nothing was ever written.
std::uint64_t last_change(storage::Transaction& transaction, const VectorsOf& of);

/// A source whose vectors were written, or removed, last under that number. Texts are valid until
/// the visit ends.
struct VectorChange {
  std::string_view kind;
  Uuid id;
  std::uint64_t change = 0;
};
/// Those behind `after`, in their order, each source once; a visit that answers false is the last.
void each_change(storage::Transaction& transaction, const VectorsOf& of, std::uint64_t after,
                 const std::function<bool(const VectorChange&)>& visit);
std::uint64_t count_changes(storage::Transaction& transaction, const VectorsOf& of,
                            std::uint64_t after);

struct StoredVector {
  std::string_view kind;
  Uuid id;
  std::uint32_t chunk = 0;
  std::int64_t number = 0;  ///< of the row, while it is there; given again when it has gone
  std::span<const float> vector;  ///< valid until the visit ends, as `kind` is
};
using VectorVisit = std::function<bool(const StoredVector&)>;
/// All, by kind, id and chunk; a visit that answers false is the last. Throws Corrupt for a vector
/// of another dimension.
void each_vector(storage::Transaction& transaction, const VectorsOf& of, const VectorVisit& visit);
/// Those of one source, by chunk.
void each_vector_of(storage::Transaction& transaction, const VectorsOf& of, std::string_view kind,
                    const Uuid& id, const VectorVisit& visit);
/// A source whose vectors changed, and one of them: null when it has lost them.
struct ChangedVector {
  VectorChange of;
  const StoredVector* vector = nullptr;
};
/// Of those that each_change() visits, in its order, the vectors by chunk. Throws Corrupt as
/// each_vector() does.
void each_changed_vector(storage::Transaction& transaction, const VectorsOf& of,
                         std::uint64_t after,
                         const std::function<bool(const ChangedVector&)>& visit);
std::uint64_t count_vectors(storage::Transaction& transaction, const VectorsOf& of);
/// Those of one source as pack() has them; "" when there are none. Asks for no dimension.
std::string packed_vectors_of(storage::Transaction& transaction, const VectorsOf& of,
                              std::string_view kind, const Uuid& id);

/// Reads vectors one by one by the numbers of their rows, by one statement that stays prepared,
/// without allocating. Must not outlive the transaction, nor what `of` refers to.
class VectorReader {
 public:
  VectorReader(storage::Transaction& transaction, const VectorsOf& of);
  /// False, with `into` untouched, when the row of that number is not that chunk of that source, or
  /// there is none. `into` is as long as the dimension.
  bool read(std::int64_t number, const Uuid& id, std::uint32_t chunk, std::span<float> into);

 private:
  VectorsOf of_;
  storage::Statement select_;
};

/// Puts these, packed, in the place of the source's vectors, under the next change. In a
/// transaction that has the space's row locked.
void replace_vectors(storage::Transaction& transaction, const VectorsOf& of,
                     std::string_view kind, const Uuid& id, std::string_view packed);
/// The id of the index's file that is of these rows; nil for none.
Uuid file_of(storage::Transaction& transaction, const VectorsOf& of);
/// From now on it is the file of that id, as of that change. In a transaction that has the space's
/// row locked.
void put_file(storage::Transaction& transaction, const VectorsOf& of, const Uuid& file,
              std::uint64_t change);

/// The same with none; nothing happens, and the change stays, when there were none.
void remove_vectors(storage::Transaction& transaction, const VectorsOf& of, std::string_view kind,
                    const Uuid& id);

}  // namespace holdfast::vectors
