// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostic.h"
#include "hlo/graph.h"

namespace podsim::validation::kernels {

/// Results that nothing bounds: an opcode is not on the list of with_error_bounds().
class NoBound : public base::InputError {
 public:
  using InputError::InputError;
};

/// Bounds the difference between a kernel's results and those of its reference, by running error analysis. The returned
/// module takes the reference's parameters. Its result is a tuple of the reference's results, followed by an upper
/// bound of |kernel - reference| for each of them (f64, the same dimensions), element by element.
///
/// With u = rounding_steps * 2^-24, v the reference's values and e their bounds:
///
///   parameters, constants, iota      e = 0
///   integers of exact operands       e = 0
///   rearrangements, negate, abs,
///   gather by exact indices          the operand's bound, rearranged
///   a + b, a - b                     e(a) + e(b) + u (|a| + |b|)
///   a * b                            |a| e(b) + |b| e(a) + e(a) e(b) + u |a b|
///   a / b                            (e(a) + |a / b| e(b)) / (|b| - e(b)) + u |a / b| + steps 2^-149 |a|; anything
///                                    where |b| - e(b) <= 2^-128, whose reciprocal is infinite
///   dot, convolution, window sums    sum of the bounds of the products, with the magnitudes of all terms
///   integers of exact operands       0
///   maximum, minimum, clamp;
///   and, or, xor, not of pred        the larger bound of the operands; anything for and, or, xor of whole numbers
///   is_finite                        either result if |a| is within e(a) of the largest number of f32
///   bitcast_convert                  anything, unless e = 0
///   x ^ y                            u |f| (1 + |y log x|) + 2 |f| (|y / x| e(x) + |log x| e(y)), to first order
///   exp, log, sqrt, rsqrt, tanh,
///   expm1, log1p, logistic           change of the function when its operand changes by e, + u |f|
///   convert, sign                    change of the rounded value when the operand changes by e: a value within e of
///                                    a rounding boundary of bf16 may be rounded to either side
///   reduce-precision to m bits       (1 + h) e + 2 h |x| + the least denormal, h = 2^-(m + 1): the kernel may round at
///                                    another scale, as a sum that is rescaled when its maximum grows does
///   compare                          either result if |a - b| <= e(a) + e(b); a select by it may then take either side
///
/// where u |x| means rounding_steps * (2^-24 |x| + 2^-149), so that denormals have room. Values that are not finite
/// have bound 0. With rounding_steps = 0 all bounds are 0, as for a copy, which is exact. Sums that temporarily leave
/// f32's range are not covered. Throws NoBound for an opcode that is not on the list.
hlo::Module with_error_bounds(const hlo::Module& reference, double rounding_steps);

}  // namespace podsim::validation::kernels
