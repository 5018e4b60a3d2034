// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"

namespace podsim::sw {

/// How far a kernel's results may be from those of its reference, by running error analysis: the module returned takes
/// the reference's parameters; its result is a tuple of the reference's results, followed by a bound for each (f64, the
/// same dimensions) that |kernel - reference| may reach, element by element.
///
/// With u = rounding_steps * 2^-24, v the reference's values and e their bounds:
///
///   parameters, constants            e = 0
///   rearrangements, negate, abs      the operand's, rearranged
///   a + b, a - b                     e(a) + e(b) + u (|a| + |b|)
///   a * b                            |a| e(b) + |b| e(a) + e(a) e(b) + u |a b|
///   a / b                            (e(a) + |a / b| e(b)) / (|b| - e(b)) + u |a / b|
///   dot, convolution, window sums    the same of products, added up: the magnitudes of all terms count, not the sum's
///   maximum, minimum                 the larger of the operands'
///   exp, log, sqrt, rsqrt, tanh      how far the function moves when its operand moves by e, + u |f|
///   convert, sign                    how far rounding moves when the operand moves by e: what is within e of a
///   rounding
///                                    boundary of bf16 may fall to either side
///   compare                          either way if |a - b| <= e(a) + e(b); a select by it may then take either side
///
/// where u |x| stands for rounding_steps * (2^-24 |x| + 2^-149), so that denormals have room; what is not finite has
/// bound 0. With no rounding steps the bound is 0 throughout: a copy is exact. Sums that leave f32's range on the way
/// to a result inside it are not allowed for. std::logic_error for an opcode that is not on the list.
Module with_error_bounds(const Module& reference, double rounding_steps);

}  // namespace podsim::sw
