// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/eval/element.h"
#include "hlo/graph.h"

namespace podsim::hlo::eval {

/// Bits of an element in memory, in the low bits of the result. Throws std::logic_error for complex numbers.
std::uint64_t bits_of(ElementType type, Element element);
Element element_from_bits(ElementType type, std::uint64_t bits);

/// Evaluates bitcast-convert: reads the bits of every element as another type. Narrower elements add a last dimension;
/// wider ones consume the last dimension, with the lowest bits first.
Literal evaluate_bitcast_convert(const Instruction& instruction, const Literal& operand);

/// Evaluates bitcast: reads the elements in memory order under another shape and layout. Tiles are ignored, since
/// operand and result share them. `layout` is the operand's shape with its layout. Throws std::logic_error if the two
/// shapes differ in their number of bits.
Literal evaluate_bitcast(const Instruction& instruction, const Literal& operand, const Shape& layout);

}  // namespace podsim::hlo::eval
