// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of elementwise operations, by opcode. operator_gradient.cpp has those of two or three operands.
namespace podsim::hlo::transform::gradient::of {

/// The result does not change with the operands, or only in steps, so they have no gradient. The sweep does not call
/// this rule, which marks such operations in the table (gradient_rules.h).
Rule flat;

Rule negate, abs, real, imag, exponential, exponential_minus_one, log, log_plus_one, sqrt, rsqrt, cbrt, tanh, tan,
    logistic, erf, sine, cosine, sinh, cosh, asin, acos, asinh, acosh, atanh, sign, reduce_precision, convert, copy;

Rule add, subtract, multiply, divide, maximum, minimum, atan2, complex, remainder, power, select, clamp,
    stochastic_convert, tuple_select;

}  // namespace podsim::hlo::transform::gradient::of
