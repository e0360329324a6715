#include "prepared_query.h"

#include <algorithm>

namespace holdfast::vectors {

PreparedQuery::PreparedQuery(const VectorArray& array)
    : like_(array),
      metric_(array.metric()),
      form_(array.form()),
      floats_(array.dimension()),
      unsigned_codes_(form_ == Form::codes ? array.dimension() : 0),
      codes_(unsigned_codes_.size()) {}

void PreparedQuery::prepare(std::span<const float> vector) {
  if (form_ == Form::floats) {
    factors_ = keep_floats(metric_, vector, floats_);
    return;
  }
  factors_ = like_.encode(vector, floats_, unsigned_codes_);
  std::transform(unsigned_codes_.begin(), unsigned_codes_.end(), codes_.begin(),
                 [](std::uint8_t code) { return static_cast<std::int8_t>(code - 128); });
}

void PreparedQuery::prepare(const VectorArray& array, Slot slot) {
  factors_ = array.factors(slot);
  if (form_ == Form::floats) {
    std::copy_n(array.floats(slot), floats_.size(), floats_.begin());
    return;
  }
  std::transform(array.codes(slot), array.codes(slot) + codes_.size(), codes_.begin(),
                 [](std::uint8_t code) { return static_cast<std::int8_t>(code - 128); });
}

}  // namespace holdfast::vectors
