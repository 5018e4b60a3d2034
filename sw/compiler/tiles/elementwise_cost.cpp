// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/elementwise_cost.h"

namespace podsim::sw::compiler::tiles {
namespace {

using Cost = ElementwiseCost;

constexpr Cost operator+(Cost a, Cost b) { return {a.alu + b.alu, a.transcendental + b.transcendental}; }

constexpr Cost alu(std::int64_t operations) { return {operations, 0}; }

constexpr Cost square_root = {1, 1}, tanh = {1, 1};
constexpr Cost exponential = {2, 1}, logarithm = {2, 1};
constexpr Cost divide = {3, 1};
constexpr Cost power = {3, 2};

/// Cost of a product and a sum for each coefficient except the first.
constexpr Cost polynomial(std::int64_t coefficients) { return alu(2 * (coefficients - 1)); }

// The terms below are the operations of the expansions, from left to right.
constexpr Cost logistic = alu(2) + exponential + divide;
constexpr Cost expm1 = alu(2) + alu(3) + tanh + exponential + alu(2);
constexpr Cost log1p = alu(2) + alu(3) + alu(1) + logarithm + alu(1);
constexpr Cost reduction = alu(6) + alu(1);                     // three parts of the multiple; a square
constexpr Cost odd_and_sign = polynomial(4) + alu(3) + alu(3);  // times x^2 and x, plus x; parity, shift, exclusive or
constexpr Cost sine = alu(2) + reduction + odd_and_sign;        // the nearest multiple
constexpr Cost cosine = alu(4) + reduction + odd_and_sign;      // shifts by half a step and back
constexpr Cost tangent = sine + cosine + alu(-1) + divide;      // x / pi is the same in both
constexpr Cost erf = alu(2) + alu(1) + polynomial(7) + alu(1) + polynomial(5) + divide;
constexpr Cost octant = alu(4) + divide;  // magnitudes, the smaller and the larger
constexpr Cost atan2 = octant + alu(1) + polynomial(8) + alu(3) + alu(3) + alu(3) + alu(2);
constexpr Cost arc = alu(3) + square_root + atan2 + alu(1);
constexpr Cost cosh = alu(2) + exponential + exponential + alu(1);
constexpr Cost sinh = alu(2) + expm1 + alu(1) + divide + alu(2) + cosh;  // uses the |x| of expm1
constexpr Cost asinh = alu(3) + alu(1) + square_root + alu(1) + divide + alu(1) + log1p + alu(1);

}  // namespace

ElementwiseCost elementwise_cost(ir::Opcode opcode) {
  switch (opcode) {
    case ir::Opcode::rsqrt:
    case ir::Opcode::sqrt:
      return square_root;
    case ir::Opcode::tanh:
      return tanh;
    case ir::Opcode::exponential:
      return exponential;
    case ir::Opcode::log:
      return logarithm;
    case ir::Opcode::divide:
      return divide;
    case ir::Opcode::power:
      return power;
    case ir::Opcode::clamp:
      return alu(2);
    case ir::Opcode::logistic:
      return logistic;
    case ir::Opcode::exponential_minus_one:
      return expm1;
    case ir::Opcode::log_plus_one:
      return log1p;
    case ir::Opcode::sine:
      return sine;
    case ir::Opcode::cosine:
      return cosine;
    case ir::Opcode::tan:
      return tangent;
    case ir::Opcode::erf:
      return erf;
    case ir::Opcode::atan2:
      return atan2;
    case ir::Opcode::cbrt:
      return alu(2) + power + alu(1);
    case ir::Opcode::remainder:
      return divide + alu(2) + alu(2);
    case ir::Opcode::asin:
    case ir::Opcode::acos:
      return arc;
    case ir::Opcode::cosh:
      return cosh;
    case ir::Opcode::sinh:
      return sinh;
    case ir::Opcode::asinh:
      return asinh;
    case ir::Opcode::acosh:
      return alu(3) + square_root + alu(1) + logarithm;
    case ir::Opcode::atanh:
      return log1p + log1p + alu(3);
    default:
      return alu(1);
  }
}

}  // namespace podsim::sw::compiler::tiles
