// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hlo/graph.h"

/// Parts of the shape rules. Functions that check throw std::logic_error with the broken rule.
namespace podsim::hlo::rules {

using OperandShapes = std::span<const Shape* const>;
using Computations = std::span<const Computation>;

void require(bool holds, const char* rule);
void require_count(OperandShapes operands, std::size_t count);
void require_at_least(OperandShapes operands, std::size_t count);
void require_compatible(const Shape& a, const Shape& b);
/// Returns whether two shapes are equal up to the layout and the precision of real numbers: compilers change f32 to
/// bf16 and back without a convert.
bool similar(const Shape& a, const Shape& b);
bool similar(ElementType a, ElementType b);
void require_similar(const Shape& a, const Shape& b);
/// Requires that the shape is not a tuple, token or opaque value.
void require_array(const Shape& shape);
/// Requires an array without dimensions.
void require_scalar(const Shape& shape);
/// Returns whether the dimensions that an instruction lists are in [0, rank) and distinct.
template <class Values>
bool distinct_dimensions(const Values& values, int rank) {
  std::vector<bool> seen(std::size_t(rank), false);
  for (const auto value : values) {
    if (value < 0 || value >= rank || seen[std::size_t(value)]) return false;
    seen[std::size_t(value)] = true;
  }
  return true;
}

/// Returns called computation `i` of an instruction; `computations` are those before the instruction's own.
const Computation& called_computation(const Instruction& instruction, std::size_t i, Computations computations);
/// Requires that the computation's parameters have these shapes.
void require_parameters(const Computation& computation, OperandShapes operands);

/// Returns a single shape unchanged, and several as a tuple.
Shape one_or_tuple(std::vector<Shape> shapes);
/// Applies one_or_tuple to the operands' shapes.
Shape operands_together(OperandShapes operands);

}  // namespace podsim::hlo::rules
