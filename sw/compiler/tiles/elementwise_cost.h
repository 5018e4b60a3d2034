// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/opcode.h"

namespace podsim::sw::compiler::tiles {

/// Operations of the vector unit on one vector register.
struct ElementwiseCost {
  std::int64_t alu = 0;             ///< on the vector ALUs; a push into the transcendental unit takes an ALU slot too
  std::int64_t transcendental = 0;  ///< on the transcendental unit: exp, log, tanh, rsqrt, sqrt, reciprocal
  bool operator==(const ElementwiseCost&) const = default;
};

/// Cost of an elementwise opcode on real or integer operands. An operation of the ALU costs one, a clamp two. Functions
/// of the transcendental unit cost a push; exp and log also a multiplication (the unit's are of base two); a division
/// refines the reciprocal before its product; a power is exp(y log x).
///
/// All other opcodes are expanded into those. TPU's own expansions are not published. These are an assumption, taken
/// from XLA's expansions for other backends if there are any, without fused multiply-adds (the ALUs have none) and
/// without special cases for zeros and infinities:
///
///   logistic               1 / (1 + exp(-x))
///   exponential-minus-one  |x| < 1/2 ? tanh(x / 2) (exp(x) + 1) : exp(x) - 1
///   log-plus-one           |x| < 1e-4 ? (1 - x / 2) x : log(1 + x)
///   sine, cosine           x less the nearest multiple of pi in three parts (the nearest odd multiple of pi / 2), an
///                          odd polynomial of four terms after the first, and the sign of the multiple's parity
///   tan                    sine / cosine, which share x / pi
///   erf                    x P(x^2) / Q(x^2) of degrees 6 and 4, x clamped to where erf is 1
///   atan2                  a polynomial of eight terms in the smaller side over the larger, reflected into its octant
///   cbrt                   sign(x) exp(log|x| / 3)
///   remainder              x - truncate(x / y) y, truncated by conversion to an integer and back
///   asin, acos             2 atan2(x, 1 + sqrt(1 - x^2)), 2 atan2(sqrt(1 - x^2), 1 + x)
///   cosh                   exp(x - ln 2) + exp(-x - ln 2)
///   sinh                   |x| < 1 ? (e + e / (e + 1)) / 2 with e = expm1(x) : exp(x - ln 2) - exp(-x - ln 2)
///   asinh                  sign(x) log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
///   acosh                  log(x + sqrt((x + 1) (x - 1)))
///   atanh                  (log1p(x) - log1p(-x)) / 2
ElementwiseCost elementwise_cost(hlo::Opcode opcode);

}  // namespace podsim::sw::compiler::tiles
