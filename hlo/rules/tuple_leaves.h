// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hlo/shape.h"

namespace podsim::hlo::rules {

/// The number of arrays and tokens of a shape, nested tuples flattened.
std::size_t leaf_count(const Shape& shape);

/// Where the elements of tuples begin among the arrays of the whole. Each tuple is counted once, so that the elements
/// of a tuple of n take time in n together. The shapes must stay where they are.
class TupleLeaves {
 public:
  /// Number of arrays before an element of a tuple; the element after the last one gives the number of all.
  std::size_t before(const Shape& tuple, std::int64_t element);

 private:
  std::unordered_map<const Shape*, std::vector<std::size_t>> known_;
};

}  // namespace podsim::hlo::rules
