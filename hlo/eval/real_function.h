// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/element_type.h"
#include "hlo/opcode.h"

namespace podsim::hlo::eval {

/// Applies an elementwise opcode of one or two operands to real numbers, in double precision and without rounding.
/// Throws std::logic_error for an opcode of integers.
double apply_real(Opcode opcode, double x, double y);

/// Returns whether x comes before y in IEEE's totalOrder: -NaN, -infinity, ..., -0, 0, ..., infinity, NaN.
bool totally_less(double x, double y);

/// Evaluates reduce-precision as XLA does, on the bits: the nearest number with the given bits of exponent (at least 1)
/// and mantissa, ties to even. If the type has a wider exponent, results that are too large become infinity and results
/// that would be subnormal become 0. Without mantissa bits a tie goes to the power of two with an even biased exponent,
/// and NaN becomes infinity. Formats of 8 bits and fewer are taken as f32 and rounded to the type again.
double reduce_precision(ElementType type, int exponent_bits, int mantissa_bits, double x);

}  // namespace podsim::hlo::eval
