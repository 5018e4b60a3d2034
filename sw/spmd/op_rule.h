// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// A range of indices that an op's loops run over: a dimension of its operands and results, or a part of one.
struct Factor {
  enum class Kind : std::uint8_t {
    parallel,   ///< one index of the result for each index of the operands: cut freely
    reduction,  ///< in operands only, combined: where it is cut, partial results are left to combine
    shifted,    ///< result and operand indices are near each other: windows, pads, slices, joins; cut with halos
    whole,      ///< every partition needs all of it
  };
  std::int64_t size = 1;
  Kind kind = Kind::parallel;
  bool operator==(const Factor&) const = default;
};

/// Which dimensions of an op's operands and results go together. A dimension is a list of factors from the major to the
/// minor: [6] reshaped to [2,3] has factors of 2 and 3, the operand's dimension is {0,1}, the result's {0} and {1}. A
/// reshape's dimension that falls on no borders is one factor of kind `whole`. An op is cut along a factor by cutting
/// every array that has it along the same sub-axes.
///
/// A dimension of size 1 that stands for one of another size (degenerate dimensions of a broadcast or window) has no
/// factor: an empty list.
struct OpRule {
  using Array = std::vector<std::vector<int>>;  ///< of every dimension: factors
  std::vector<Factor> factors;
  std::vector<Array> operands;  ///< arrays of operands in order, tuples flattened
  std::vector<Array> results;   ///< likewise
};

/// The rule of an instruction that computes arrays from arrays. Ops with a body (while, conditional, call) and tuples
/// have none: they are for whoever walks the graph. Fusions have none; a graph is partitioned before it is fused.
/// An opcode that nothing is known of has factors of kind `whole` only.
///
/// parallel: elementwise, broadcast, transpose, dot batch and free dimensions, convolution batch and feature
/// dimensions, dimensions that reduce, reduce-window (size-1 windows), pad, slice, concatenate, gather, scatter, sort,
/// dynamic-slice and the like leave alone; gather's and scatter's index dimensions (scatter: of updates and indices;
/// reduction for add-like combiners); iota and rng of their results. reduction: reduced dimensions of a single-array
/// reduce whose combiner is add, multiply, min, max, and, or; contracting dimensions of a dot; input-feature and (of
/// weight gradients) window dimensions that contract. shifted: spatial dimensions of convolution, reduce-window,
/// select-and-scatter; dimensions that pad, slice (stride 1 or more), concatenate or reverse change.
OpRule op_rule(const Module& module, const Computation& computation, InstructionId id);

}  // namespace podsim::sw
