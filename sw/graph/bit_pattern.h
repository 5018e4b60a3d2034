// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/element.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// The bits of an element in memory, in the low bits of the result. Throws std::logic_error for complex numbers.
std::uint64_t bits_of(ElementType type, Element element);
Element element_from_bits(ElementType type, std::uint64_t bits);

/// bitcast-convert: the bits of every element as another type. Narrower elements come as a new last dimension, wider
/// ones take the last dimension's, the lowest bits first.
Literal evaluate_bitcast_convert(const Instruction& instruction, const Literal& operand);

/// bitcast: the elements as they follow each other in memory, under another shape and layout (tiles apart, which both
/// share). `layout` is the operand's shape with its layout. Throws std::logic_error when the two shapes do not have as
/// many bits.
Literal evaluate_bitcast(const Instruction& instruction, const Literal& operand, const Shape& layout);

}  // namespace podsim::sw
