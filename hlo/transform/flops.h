// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "hlo/graph.h"

/// Cost of an instruction, counted as in XLA's cost analysis so that FLOPs and bytes compare with those of a profile:
///   convolution      2 per multiply-accumulate whose input exists: taps in padding or dilation holes do not count
///   dot              2 M N K
///   elementwise      1 per element, also for converts, compares, quotients and remainders; exponentials, logarithms,
///                    roots, powers, erf and the circular and hyperbolic functions count as transcendentals instead;
///                    copies are free
///   reduce           the combiner's cost for every element of a result beyond the first
///   reduce-window    the combiner's cost for every window element beyond the first
///   select-and-scatter   per window: one select for every element beyond the first, and one scatter
///   all-reduce       1 per element, as for two partitions
///   fusion           the cost of its body
/// Instructions that only move data have no FLOPs.
namespace podsim::hlo::transform {

/// True for operations with multiply-accumulates on a matrix unit: convolution and dot.
bool is_matmul(Opcode opcode);
/// True for operations that count as transcendentals and not as FLOPs.
bool is_transcendental(Opcode opcode);

struct Cost {
  std::int64_t flops = 0;
  std::int64_t transcendentals = 0;
  /// Operands, each once, and the result, in padded layout. Parameters, constants, tuples and their elements move
  /// nothing.
  base::Bytes bytes{};

  Cost& operator+=(const Cost& other);
  bool operator==(const Cost&) const = default;
};

/// Number of pairs of an output position and a window element that meet an element of `input` (not padding, not a hole
/// between dilated elements), along one dimension. Closed form per window element.
std::int64_t valid_window_positions(std::int64_t input, const WindowDimension& window);

/// Number of `input` elements that a window reads at any of `outputs` positions.
std::int64_t window_inputs(std::int64_t input, std::int64_t outputs, const WindowDimension& window);

/// Multiply-accumulates of a convolution, dot or ragged-dot whose operands exist.
std::int64_t multiply_accumulates(const Instruction& instruction, const Shape& lhs, const Shape& rhs);

/// Cost of one instruction.
Cost cost(const Module& module, const Computation& computation, InstructionId id);
/// Sum over the entry computation.
Cost cost(const Module& module);

/// Why instructions of this opcode count no FLOPs; nullptr if they count some. Requires an opcode other than `unknown`.
const char* why_no_flops(Opcode opcode);

/// FLOPs of the products that a run of the program has: those of a loop as often as it goes round (once if that is not
/// known), of a conditional the branch with the most.
double product_flops(const Module& module);

}  // namespace podsim::hlo::transform
