// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/elementwise_cost.h"

namespace podsim::sw {
namespace {

using Cost = ElementwiseCost;

constexpr Cost operator+(Cost a, Cost b) { return {a.alu + b.alu, a.transcendental + b.transcendental}; }

constexpr Cost alu(std::int64_t operations) { return {operations, 0}; }

constexpr Cost root = {1, 1}, tanh = {1, 1};
constexpr Cost exponential = {2, 1}, logarithm = {2, 1};
constexpr Cost divide = {3, 1};
constexpr Cost power = {3, 2};

/// Of a product and a sum for each coefficient but the first.
constexpr Cost polynomial(std::int64_t coefficients) { return alu(2 * (coefficients - 1)); }

// The other operations are those of the expansions, from left to right.
constexpr Cost logistic = alu(2) + exponential + divide;
constexpr Cost expm1 = alu(2) + alu(3) + tanh + exponential + alu(2);
constexpr Cost log1p = alu(2) + alu(3) + alu(1) + logarithm + alu(1);
constexpr Cost reduction = alu(6) + alu(1);                     // three parts of the multiple; a square
constexpr Cost odd_and_sign = polynomial(4) + alu(3) + alu(3);  // times x^2 and x, plus x; parity, shift, exclusive or
constexpr Cost sine = alu(2) + reduction + odd_and_sign;        // the nearest multiple
constexpr Cost cosine = alu(4) + reduction + odd_and_sign;      // half a step aside and back
constexpr Cost tangent = sine + cosine + alu(-1) + divide;      // x / pi is the same in both
constexpr Cost erf = alu(2) + alu(1) + polynomial(7) + alu(1) + polynomial(5) + divide;
constexpr Cost octant = alu(4) + divide;  // magnitudes, the smaller and the larger
constexpr Cost atan2 = octant + alu(1) + polynomial(8) + alu(3) + alu(3) + alu(3) + alu(2);
constexpr Cost arc = alu(3) + root + atan2 + alu(1);
constexpr Cost cosh = alu(2) + exponential + exponential + alu(1);
constexpr Cost sinh = alu(2) + expm1 + alu(1) + divide + alu(2) + cosh;  // |x| is that of expm1
constexpr Cost asinh = alu(3) + alu(1) + root + alu(1) + divide + alu(1) + log1p + alu(1);

}  // namespace

ElementwiseCost elementwise_cost(Opcode opcode) {
  switch (opcode) {
    case Opcode::rsqrt:
    case Opcode::sqrt:
      return root;
    case Opcode::tanh:
      return tanh;
    case Opcode::exponential:
      return exponential;
    case Opcode::log:
      return logarithm;
    case Opcode::divide:
      return divide;
    case Opcode::power:
      return power;
    case Opcode::clamp:
      return alu(2);
    case Opcode::logistic:
      return logistic;
    case Opcode::exponential_minus_one:
      return expm1;
    case Opcode::log_plus_one:
      return log1p;
    case Opcode::sine:
      return sine;
    case Opcode::cosine:
      return cosine;
    case Opcode::tan:
      return tangent;
    case Opcode::erf:
      return erf;
    case Opcode::atan2:
      return atan2;
    case Opcode::cbrt:
      return alu(2) + power + alu(1);
    case Opcode::remainder:
      return divide + alu(2) + alu(2);
    case Opcode::asin:
    case Opcode::acos:
      return arc;
    case Opcode::cosh:
      return cosh;
    case Opcode::sinh:
      return sinh;
    case Opcode::asinh:
      return asinh;
    case Opcode::acosh:
      return alu(3) + root + alu(1) + logarithm;
    case Opcode::atanh:
      return log1p + log1p + alu(3);
    default:
      return alu(1);
  }
}

}  // namespace podsim::sw
