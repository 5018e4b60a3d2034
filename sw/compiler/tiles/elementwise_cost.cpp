// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/elementwise_cost.h"

#include "hlo/op_table.h"

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

using hlo::Opcode;

constexpr hlo::OpTable<Cost> costs({
    hlo::yes(alu(1), Opcode::abs, Opcode::add, Opcode::ceil, Opcode::compare, Opcode::complex, Opcode::convert,
             Opcode::copy, Opcode::count_leading_zeros, Opcode::floor, Opcode::imag, Opcode::is_finite,
             Opcode::logical_and, Opcode::logical_not, Opcode::logical_or, Opcode::logical_xor, Opcode::maximum,
             Opcode::minimum, Opcode::multiply, Opcode::negate, Opcode::popcnt, Opcode::real, Opcode::reduce_precision,
             Opcode::round_nearest_afz, Opcode::round_nearest_even, Opcode::select, Opcode::shift_left,
             Opcode::shift_right_arithmetic, Opcode::shift_right_logical, Opcode::sign, Opcode::stochastic_convert,
             Opcode::subtract),
    hlo::yes(alu(2), Opcode::clamp),
    hlo::yes(square_root, Opcode::rsqrt, Opcode::sqrt),
    hlo::yes(tanh, Opcode::tanh),
    hlo::yes(exponential, Opcode::exponential),
    hlo::yes(logarithm, Opcode::log),
    hlo::yes(divide, Opcode::divide),
    hlo::yes(power, Opcode::power),
    hlo::yes(logistic, Opcode::logistic),
    hlo::yes(expm1, Opcode::exponential_minus_one),
    hlo::yes(log1p, Opcode::log_plus_one),
    hlo::yes(sine, Opcode::sine),
    hlo::yes(cosine, Opcode::cosine),
    hlo::yes(tangent, Opcode::tan),
    hlo::yes(erf, Opcode::erf),
    hlo::yes(atan2, Opcode::atan2),
    hlo::yes(alu(2) + power + alu(1), Opcode::cbrt),
    hlo::yes(divide + alu(2) + alu(2), Opcode::remainder),
    hlo::yes(arc, Opcode::acos, Opcode::asin),
    hlo::yes(cosh, Opcode::cosh),
    hlo::yes(sinh, Opcode::sinh),
    hlo::yes(asinh, Opcode::asinh),
    hlo::yes(alu(3) + square_root + alu(1) + logarithm, Opcode::acosh),
    hlo::yes(log1p + log1p + alu(3), Opcode::atanh),
    hlo::no_of_others<Cost>("it is not elementwise"),
});

}  // namespace

ElementwiseCost elementwise_cost(hlo::Opcode opcode) { return costs[opcode].rule; }

}  // namespace podsim::sw::compiler::tiles
