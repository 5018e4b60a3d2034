// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/space.h"

#include <algorithm>

namespace podsim::sw::codegen::fusion {

namespace {

hlo::Shape in_words(hlo::Shape shape) {
  shape.element_type = hlo::ElementType::f32;
  shape.memory_space = 0;
  shape.tile.clear();
  return shape;
}

/// Dimensions outside a register that have more than one index, the most minor one first, as dimensions of the space.
std::vector<int> long_planes(const Space& space) {
  std::vector<int> found;
  for (int i = 0; i < space.planes(); ++i) {
    if (space.size(space.plane(i)) > 1) found.push_back(space.plane(i));
  }
  return found;
}

}  // namespace

Space::Space(const hlo::Shape& array) : shape(in_words(array)), tiles(families::array_tiles(shape)) {}

bool Space::operator==(const Space& other) const {
  if (shape.dimensions != other.shape.dimensions) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.minor_dimension(i) != other.shape.minor_dimension(i)) return false;
  }
  return true;
}

Axes identity(const Space& space) {
  Axes axes;
  for (int d = 0; d < space.shape.rank(); ++d) axes.push_back({d, 0});
  return axes;
}

bool depends_on(const Axes& axes, int dimension) {
  return std::ranges::any_of(axes, [&](const Axis& axis) { return axis.along == dimension; });
}

bool is_invariant(const Axes& axes) {
  return std::ranges::all_of(axes, [](const Axis& axis) { return axis.along < 0; });
}

bool has_registers_of(const hlo::Shape& array, const Axes& axes, const Space& space) {
  if (space.flat()) {
    return array.rank() == space.shape.rank() && (array.rank() == 0 || axes[0] == Axis{0, 0});
  }
  if (array.rank() < 2) return false;
  for (int i = 0; i < 2; ++i) {
    const auto dimension = std::size_t(array.minor_dimension(i));
    if (array.dimensions[dimension] != space.size(space.shape.minor_dimension(i))) return false;
    if (array.dimensions[dimension] > 1 && axes[dimension] != Axis{space.shape.minor_dimension(i), 0}) return false;
  }
  std::vector<int> planes;
  for (int i = 2; i < array.rank(); ++i) {
    const auto dimension = std::size_t(array.minor_dimension(i));
    if (array.dimensions[dimension] == 1) continue;
    if (axes[dimension].offset != 0 || axes[dimension].along < 0 ||
        array.dimensions[dimension] != space.size(axes[dimension].along)) {
      return false;
    }
    planes.push_back(axes[dimension].along);
  }
  return planes == long_planes(space);
}

}  // namespace podsim::sw::codegen::fusion
