#include "read_set.h"

namespace holdfast {
namespace {

/// What a read is of, without what it found.
std::string subject(const PlanStep& read) {
  switch (read.op) {
    case PlanOp::expect_list: return "list " + read.list->to_json();
    case PlanOp::expect_key: return "key " + read.value->json() + " " + *read.key;
    case PlanOp::expect_neighborhood: return "neighborhood " + to_string(read.id);
    default: break;
  }
  if (read.key) return "note key " + *read.key;
  return std::string(to_string(read.kind)) + " " + to_string(read.id);
}

}  // namespace

bool ReadSet::add(PlanStep read) {
  const auto [place, is_new] = places_.try_emplace(subject(read), steps_.size());
  if (!is_new) return agree(steps_[place->second], read);
  steps_.push_back(std::move(read));
  return true;
}

bool ReadSet::agree(PlanStep& earlier, const PlanStep& read) const {
  if (!earlier.about_is_deleted) earlier.about_is_deleted = read.about_is_deleted;
  const bool says_less = earlier.op == read.op && !read.about_is_deleted;
  PlanStep same = read;
  if (says_less) same.about_is_deleted = earlier.about_is_deleted;
  return expectation_json(earlier) == expectation_json(same);
}

}  // namespace holdfast
