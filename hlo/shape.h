// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/element_type.h"

namespace podsim::hlo {

/// Type, dimensions (major first, as written) and layout of a value. A tuple has element shapes instead.
struct Shape {
  ElementType element_type = ElementType::f32;
  std::vector<std::int64_t> dimensions;
  /// Dimension numbers from the fastest-varying to the slowest. The first is the lane dimension (128 wide), the second
  /// the sublane dimension (8). Empty means row-major, {rank-1, ..., 0}.
  std::vector<int> minor_to_major;
  /// The layout tile, major first, over the most minor dimensions: "T(8,128)". Empty means the tile that XLA gives an
  /// array of this type and these dimensions on a TPU.
  std::vector<std::int64_t> tile;
  int memory_space = 0;  ///< "S(1)": the number of a memory of the machine; 0 is HBM, 1 VMEM (hw/memory_levels.h)
  std::vector<Shape> tuple_shapes;

  bool is_tuple() const { return element_type == ElementType::tuple; }
  int rank() const { return int(dimensions.size()); }
  std::int64_t element_count() const;
  /// minor_to_major[i], or its row-major default if minor_to_major is empty.
  int minor_dimension(int i) const;
  /// Compares types and dimensions, and ignores layouts and memory spaces.
  bool compatible(const Shape& other) const;
  bool operator==(const Shape&) const = default;
};

Shape make_shape(ElementType type, std::vector<std::int64_t> dimensions);
Shape make_tuple_shape(std::vector<Shape> elements);

/// The form that HLO prints: "bf16[128,56,56,64]{0,3,2,1:T(8,128)S(1)}", "(f32[], s32[2])".
std::string to_string(const Shape& shape);

/// Rows of the layout tile over the second most minor dimension: those of the array's own tile, or XLA's
/// (padded_bytes); 1 if the tile has lanes only.
std::int64_t tile_rows(const Shape& shape);

/// Bytes without padding; elements of less than a byte are packed.
base::Bytes logical_bytes(const Shape& shape);
/// Bytes of the value in memory under its layout: the dimensions that the tile covers are padded to multiples of it. An
/// array without a tile gets XLA's: the two most minor dimensions are padded to 8 x 128 (bf16's T(8,128)(2,1) pads the
/// same), few sublanes to the next power of two, and a vector to 128 lanes of 2 to 8 sublanes. For a tuple it is the
/// sum over the elements.
base::Bytes padded_bytes(const Shape& shape);

}  // namespace podsim::hlo
