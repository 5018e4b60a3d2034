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
    special,    ///< arrays that have it are cut alike by code of the opcode's own: indexed dimensions, iota, statistics
    whole,      ///< every partition needs all of it
  };
  /// Elements; of a shifted factor those of the last array that has it, results after operands.
  std::int64_t size = 1;
  Kind kind = Kind::parallel;
  bool operator==(const Factor&) const = default;
};

/// Which dimensions of an op's operands and results go together. A dimension is a list of factors from the major to the
/// minor: [6] reshaped to [2,3] has factors of 2 and 3, the operand's dimension is {0,1}, the result's {0} and {1}. The
/// part of a reshape that falls on no borders is of kind `whole`. An op is cut along a factor by cutting every array
/// that has it along the same sub-axes.
///
/// A dimension of size 1 that stands for one of another size (what a reshape adds, a window that covers everything) has
/// no factor: an empty list.
///
/// Attributes of the op that is cut follow from its local shapes: slice sizes, limits of slices, the size of a window
/// that contracts, and the groups of a convolution (a grouped dimension is the factors {group, in the group}: there are
/// as many feature groups as the kernel's input features go into the input's, and batch groups as the result's batch
/// goes into the input's).
struct OpRule {
  using Array = std::vector<std::vector<int>>;  ///< of every dimension: factors
  std::vector<Factor> factors;
  std::vector<Array> operands;  ///< arrays of operands in order, tuples flattened
  std::vector<Array> results;   ///< likewise
  /// What partial results of reduction factors are combined by. Initial values of a reduce and a reduce-window and the
  /// operand of a scatter count once: all partitions but one start from the combiner's identity.
  Opcode combiner = Opcode::add;
};

/// The rule of an instruction that computes arrays from arrays. Tuples, get-tuple-element and what hands its operand on
/// (opt-barrier, domain, annotations) join equal arrays by parallel factors. Ops with a body (while, conditional, call)
/// have factors of kind `whole` only: they are for whoever walks the graph. So have fusions (a graph is partitioned
/// before it is fused), asynchronous parts, collectives but all-reduce, and opcodes that nothing is known of.
///
/// parallel: elementwise, broadcast, transpose, dot batch and free dimensions, convolution batch and feature
/// dimensions and spatial ones under a window of one element, dimensions that reduce, reduce-window (size-1 windows),
/// pad, slice, concatenate, gather, scatter, sort, dynamic-slice and the like leave alone; gather's index dimensions.
/// reduction: reduced dimensions of a single-array reduce, windows of a reduce-window that cover their dimension, and
/// scatter's index dimensions (of updates and indices), where the combiner is add, multiply, min, max, and, or;
/// contracting dimensions of a dot; of a convolution the input features and the spatial dimensions of one window that
/// covers all.
/// shifted: spatial dimensions of convolution, reduce-window, select-and-scatter; dimensions that pad, slice (stride 1
/// or more), concatenate or reverse change. Of a convolution whose window is larger than its result (a weight gradient)
/// the input's and the kernel's dimension share the factor, and partial sums are left; else the input's and the
/// result's.
/// special: constants, parameters, infeeds, rng and rng-bit-generator of their results; the dimension of iota; batch
/// norms outside of the feature; dimensions of the operand (and the result) that gather, scatter, dynamic-slice and
/// dynamic-update-slice index.
///
/// Throws std::logic_error where shapes do not follow from the operands.
OpRule op_rule(const Module& module, const Computation& computation, InstructionId id);

}  // namespace podsim::sw
