// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/shape.h"
#include "sw/codegen/families/kernel_array.h"

/// The index space over which a loop runs, and how values of other dimensions lie in it.
namespace podsim::sw::codegen::fusion {

/// The registers of an array under its layout, which a loop computes one after the other: lane tiles of 128 elements
/// along the most minor dimension, row tiles of 8 along the next, planes along all others. Register number t is lane
/// tile t mod lane_tiles of row tile t / lane_tiles, planes outermost. A vector has 1024 elements per register, and
/// counts registers as row tiles.
struct Space {
  hlo::Shape shape;            ///< of f32
  families::ArrayTiles tiles;  ///< of that shape

  explicit Space(const hlo::Shape& array);
  bool flat() const { return shape.rank() < 2; }
  /// Dimensions along the lanes and sublanes of a register; -1 if there is none, as in a vector.
  int lanes() const { return flat() ? -1 : shape.minor_dimension(0); }
  int rows() const { return flat() ? -1 : shape.minor_dimension(1); }
  int planes() const { return flat() ? 0 : shape.rank() - 2; }
  /// The dimension of plane coordinate i, the most minor one first, and its size.
  int plane(int i) const { return shape.minor_dimension(i + 2); }
  std::int64_t size(int dimension) const { return shape.dimensions[std::size_t(dimension)]; }
  std::int64_t registers() const { return tiles.planes * tiles.row_tiles * tiles.lane_tiles; }
  bool operator==(const Space& other) const;
};

/// Where a dimension of a value is in a space: index = coordinate in dimension `along` + offset, or the offset alone if
/// `along` is -1.
struct Axis {
  int along = -1;
  std::int64_t offset = 0;
  auto operator<=>(const Axis&) const = default;
};
/// By dimension of the value.
using Axes = std::vector<Axis>;

/// The axes of a value that has the dimensions of the space.
Axes identity(const Space& space);
/// True if the value differs along a dimension of the space.
bool depends_on(const Axes& axes, int dimension);
bool is_invariant(const Axes& axes);
/// True if an array has register t of the space as its register t.
bool has_registers_of(const hlo::Shape& array, const Axes& axes, const Space& space);

}  // namespace podsim::sw::codegen::fusion
