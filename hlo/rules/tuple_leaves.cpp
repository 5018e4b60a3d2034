// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/tuple_leaves.h"

namespace podsim::hlo::rules {

std::size_t leaf_count(const Shape& shape) {
  if (!shape.is_tuple()) return 1;
  std::size_t count = 0;
  for (const Shape& element : shape.tuple_shapes) count += leaf_count(element);
  return count;
}

std::size_t TupleLeaves::before(const Shape& tuple, std::int64_t element) {
  std::vector<std::size_t>& begins = known_[&tuple];
  if (begins.empty()) {
    begins.push_back(0);
    for (const Shape& part : tuple.tuple_shapes) begins.push_back(begins.back() + leaf_count(part));
  }
  return begins[std::size_t(element)];
}

}  // namespace podsim::hlo::rules
