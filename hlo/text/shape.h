// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/element_type.h"
#include "hlo/text/scanner.h"

/// Shapes of HLO text: "bf16[8,<=128]{1,0:T(8,128)(2,1)S(1)}", "(f32[], token[])". They are kept in a table and
/// identified by their index in it, because a module repeats few shapes many times.
namespace podsim::hlo::text {

using ShapeId = std::int32_t;

/// A layout property that is kept as written: D, L, #, *, SC, P, M.
struct LayoutProperty {
  std::string_view name, text;  ///< text within the parentheses
};

struct Layout {
  static constexpr std::int64_t combined =
      -1;  ///< '*' in a tile: this dimension is joined with the next more minor one

  std::vector<std::int64_t> minor_to_major;
  std::vector<std::vector<std::int64_t>> tiles;  ///< T(8,128)(2,1): outermost first
  int memory_space = 0;                          ///< S; 0 is HBM, 1 is VMEM on TPU
  int element_bits = 0;                          ///< E; 0 means the element type's width
  std::vector<LayoutProperty> other;
};

struct Shape {
  static constexpr std::int64_t unbounded = -1;  ///< a dimension that is written '?'

  hlo::ElementType type = hlo::ElementType::pred;  ///< of an array
  bool is_tuple = false;
  bool has_layout = false;
  std::vector<std::int64_t> dimensions;  ///< major first; the bound of a dynamic dimension
  std::vector<bool> dynamic;             ///< one entry per dimension, or empty if none is dynamic
  std::vector<ShapeId> elements;         ///< of a tuple
  Layout layout;
};

/// The shapes of a module. Shapes with the same text have one id.
class ShapeTable {
 public:
  const Shape& operator[](ShapeId id) const { return shapes_[std::size_t(id)]; }
  std::size_t size() const { return shapes_.size(); }
  std::size_t memory_bytes() const;

  /// Reads a shape at the scanner's position. Throws SyntaxError if there is none.
  ShapeId read(Scanner& scanner);

  /// Adds a tuple that has no text.
  ShapeId add_tuple(std::vector<ShapeId> elements);

  /// Compares types, dimensions and elements, and ignores layouts; a dynamic dimension fits any size.
  bool compatible(ShapeId a, ShapeId b) const;
  /// Bytes of the elements without padding, summed over tuples and limited to the largest int64.
  std::int64_t bytes(ShapeId id) const;
  /// Elements of an array; an unbounded dimension counts as 1.
  std::int64_t element_count(ShapeId id) const;
  /// The shape's text as XLA prints it.
  std::string text(ShapeId id, bool with_layout = true) const;

 private:
  ShapeId read_nested(Scanner& scanner, int depth);
  Shape read_tuple(Scanner& scanner, int depth);
  Shape read_array(Scanner& scanner);
  void append_text(std::string& out, ShapeId id, bool with_layout) const;

  std::vector<Shape> shapes_;
  std::unordered_map<std::string_view, ShapeId> by_text_;
};

/// True if a shape follows at the scanner's position: a tuple, or a word and '['.
bool shape_follows(Scanner& scanner);

/// The sum, limited to the largest int64.
std::int64_t saturating_add(std::int64_t a, std::int64_t b);

}  // namespace podsim::hlo::text
