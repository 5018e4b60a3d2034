// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/element_type.h"
#include "sw/graph/opcode.h"

namespace podsim::sw {

/// What an elementwise opcode of one or two operands does to real numbers, in double precision and not rounded. Throws
/// std::logic_error for an opcode of integers.
double apply_real(Opcode opcode, double x, double y);

/// Whether x comes before y in IEEE's totalOrder: -NaN, -infinity, ..., -0, 0, ..., infinity, NaN.
bool totally_less(double x, double y);

/// reduce-precision: the nearest number with so many bits of exponent and mantissa, ties to even. Where the type has a
/// wider exponent, what is too large becomes infinity and what would be subnormal 0.
double reduce_precision(ElementType type, int exponent_bits, int mantissa_bits, double x);

}  // namespace podsim::sw
