// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sw/graph/graph.h"

/// Parts of the shape rules. Those that check throw std::logic_error with the broken rule.
namespace podsim::sw {

using OperandShapes = std::span<const Shape* const>;
using Computations = std::span<const Computation>;

void require(bool holds, const char* rule);
void require_count(OperandShapes operands, std::size_t count);
void require_at_least(OperandShapes operands, std::size_t count);
void require_compatible(const Shape& a, const Shape& b);
/// Equal but for the precision of real numbers and the layout: compilers carry f32 on as bf16 and back without a
/// convert.
bool similar(const Shape& a, const Shape& b);
bool similar(ElementType a, ElementType b);
void require_similar(const Shape& a, const Shape& b);
/// Not a tuple, token or opaque value.
void require_array(const Shape& shape);
/// An array of no dimensions.
void require_scalar(const Shape& shape);
/// Dimensions that an instruction lists: in [0, rank), none twice.
template <class Values>
bool distinct_dimensions(const Values& values, int rank) {
  std::vector<bool> seen(std::size_t(rank), false);
  for (const auto value : values) {
    if (value < 0 || value >= rank || seen[std::size_t(value)]) return false;
    seen[std::size_t(value)] = true;
  }
  return true;
}

/// Called computation `i` of an instruction; `computations` are those that precede its own.
const Computation& called_computation(const Instruction& instruction, std::size_t i, Computations computations);
/// A computation's parameters take these shapes.
void require_parameters(const Computation& computation, OperandShapes operands);

/// One shape alone, or several as a tuple.
Shape one_or_tuple(std::vector<Shape> shapes);
/// As one_or_tuple of the operands' own shapes.
Shape operands_together(OperandShapes operands);

}  // namespace podsim::sw
