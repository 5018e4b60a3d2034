// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/leaves.h"

#include <algorithm>
#include <stdexcept>

namespace podsim::hlo::transform::formulas {

namespace {

const Shape* leaf_of(const Shape& shape, std::size_t& leaf) {
  if (!shape.is_tuple()) return leaf-- == 0 ? &shape : nullptr;
  for (const Shape& element : shape.tuple_shapes) {
    if (const Shape* found = leaf_of(element, leaf)) return found;
  }
  return nullptr;
}

}  // namespace

bool has_slope(ElementType type) { return is_floating_point(type) || is_complex(type); }

bool has_any_slope(const Shape& shape) {
  if (!shape.is_tuple()) return has_slope(shape.element_type);
  return std::ranges::any_of(shape.tuple_shapes, has_any_slope);
}

const Shape& leaf_shape(const Shape& shape, std::size_t leaf) {
  const Shape* found = leaf_of(shape, leaf);
  if (found == nullptr) throw std::logic_error("a value has no such leaf");
  return *found;
}

}  // namespace podsim::hlo::transform::formulas
