// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace podsim::sw {

enum class ElementType { pred, s8, s16, s32, s64, u8, u16, u32, u64, f16, bf16, f32, f64, tuple, token };

std::string to_string(ElementType type);
/// Bytes of one element in memory; 0 for tuple and token.
int byte_width(ElementType type);
bool is_floating_point(ElementType type);

/// Type, dimensions (major first, as written) and layout of a value; a tuple has element shapes instead.
struct Shape {
  ElementType element_type = ElementType::f32;
  std::vector<std::int64_t> dimensions;
  /// Dimension numbers from the fastest-varying to the slowest. The first is the lane dimension (128 wide), the second
  /// the sublane dimension (8). Empty means row-major, {rank-1, ..., 0}.
  std::vector<int> minor_to_major;
  std::vector<Shape> tuple_shapes;

  bool is_tuple() const { return element_type == ElementType::tuple; }
  int rank() const { return int(dimensions.size()); }
  std::int64_t element_count() const;
  /// minor_to_major[i], with the row-major default filled in.
  int minor_dimension(int i) const;
  /// Equal type and dimensions, whatever the layout.
  bool compatible(const Shape& other) const;
  bool operator==(const Shape&) const = default;
};

Shape make_shape(ElementType type, std::vector<std::int64_t> dimensions);
Shape make_tuple_shape(std::vector<Shape> elements);

/// As HLO prints it: "bf16[128,56,56,64]{0,3,2,1}", "(f32[], s32[2])".
std::string to_string(const Shape& shape);

/// Bytes without padding.
base::Bytes logical_bytes(const Shape& shape);
/// Bytes the value takes in HBM under XLA's tiled layouts: the two most minor dimensions padded to the tile (8 x 128;
/// bf16 T(8,128)(2,1) pads the same; rank 1 to a multiple of 128 lanes, at least 256 elements... per hardware.md "XLA
/// conventions"). Tuples add up.
base::Bytes padded_bytes(const Shape& shape);

}  // namespace podsim::sw
