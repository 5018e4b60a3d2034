// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "sw/graph/graph.h"

/// What an instruction costs, counted as XLA's cost analysis counts, so that FLOPs and bytes of a profile compare:
///   convolution      2 per multiply-accumulate whose input exists: taps in padding or dilation holes do not count
///   dot              2 M N K
///   elementwise      1 per element, converts, compares, quotients and remainders too; exponentials, logarithms, roots,
///                    powers, erf and the circular and hyperbolic functions are not FLOPs but transcendentals; copies
///                    are free
///   reduce           the combiner's for every element beyond the first of a result
///   reduce-window    the combiner's for every window element beyond the first
///   select-and-scatter   per window: as many selects as elements beyond the first, one scatter
///   all-reduce       1 per element, as if two partitions met
///   fusion           what its body costs
/// Everything that only moves data has no FLOPs.
namespace podsim::sw {

/// Multiply-accumulates on a matrix unit: convolution and dot.
bool is_matmul(Opcode opcode);
/// Counted apart from FLOPs.
bool is_transcendental(Opcode opcode);

struct Cost {
  std::int64_t flops = 0;
  std::int64_t transcendentals = 0;
  /// Operands, each once, and result, in padded layout. Parameters, constants, tuples and their elements move nothing.
  base::Bytes bytes{};

  Cost& operator+=(const Cost& other);
  bool operator==(const Cost&) const = default;
};

/// Pairs of an output position and a window element that meet an element of `input` (not padding, not a hole between
/// dilated elements), along one dimension. Closed form per window element.
std::int64_t valid_window_positions(std::int64_t input, const WindowDimension& window);

/// Multiply-accumulates of a convolution or dot with existing operands.
std::int64_t multiply_accumulates(const Instruction& instruction, const Shape& lhs, const Shape& rhs);

/// The cost of one instruction.
Cost cost(const Module& module, const Computation& computation, InstructionId id);
/// The sum over the entry computation.
Cost cost(const Module& module);

}  // namespace podsim::sw
