// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::spmd::propagate {

/// A range of indices that an op iterates over: a dimension of its operands and results, or a part of one.
struct Factor {
  enum class Kind : std::uint8_t {
    parallel,   ///< each index of the operands has its index of the result: can be split freely
    reduction,  ///< only in operands, and combined: if it is split, the results are unreduced
    shifted,    ///< result and operand indices differ by small distances (windows, pads, slices): split with halos
    special,    ///< split by code for the opcode, equally in all arrays: indexed dimensions, iota, statistics
    whole,      ///< every partition needs all of it
  };
  /// Number of elements. For a shifted factor, that of the last array that has it, results after operands.
  std::int64_t size = 1;
  Kind kind = Kind::parallel;
  bool operator==(const Factor&) const = default;
};

/// The correspondence between dimensions of an op's operands and results. A dimension is a list of factors from the
/// major to the minor: [6] reshaped to [2,3] has factors of 2 and 3, the operand's dimension is {0,1}, the result's are
/// {0} and {1}. Parts of a reshape without common borders are of kind `whole`. An op is split along a factor by
/// splitting every array that has it over the same sub-axes.
///
/// A dimension of size 1 that a reshape adds, or that results under a window that covers everything, has no factor: its
/// list is empty.
///
/// Attributes of the split op follow from its local shapes: slice sizes, limits of slices, the size of a window that
/// contracts, and the groups of a convolution. A grouped dimension has the factors {group, within the group}. The
/// number of feature groups is the input's features over the kernel's input features, and the number of batch groups is
/// the input's batch over the result's.
struct OpRule {
  using Array = std::vector<std::vector<int>>;  ///< for every dimension, its factors
  std::vector<Factor> factors;
  std::vector<Array> operands;  ///< arrays of the operands in order, tuples flattened
  std::vector<Array> results;   ///< arrays of the results in order, tuples flattened
  /// Combines unreduced results along reduction factors. Initial values of a reduce and a reduce-window and the operand
  /// of a scatter count once: all partitions but one start from the combiner's identity.
  hlo::Opcode combiner = hlo::Opcode::add;
};

/// The rule of an instruction that computes arrays from arrays. Tuples, get-tuple-element and ops that pass on their
/// operand (opt-barrier, domain, annotations) join equal arrays by parallel factors. Ops with a body (while,
/// conditional, call) have only factors of kind `whole`; code that walks the graph handles them. So do fusions (a graph
/// is partitioned before it is fused), asynchronous pairs, collectives except all-reduce, and unknown opcodes.
///
/// parallel: elementwise ops, broadcast, transpose; batch and free dimensions of a dot; batch and feature dimensions of
/// a convolution and spatial ones under a window of one element; dimensions that reduce, reduce-window (windows of one
/// element), pad, slice, concatenate, gather, scatter, sort, dynamic-slice and the like leave unchanged; gather's index
/// dimensions.
/// reduction: reduced dimensions of a single-array reduce, windows of a reduce-window that cover their dimension, and
/// scatter's index dimensions (of updates and indices), each if the combiner is add, multiply, min, max, and or or;
/// contracting dimensions of a dot; a convolution's input features and its spatial dimensions under one window that
/// covers everything.
/// shifted: spatial dimensions of convolution, reduce-window and select-and-scatter; dimensions that pad, slice (stride
/// 1 or more), concatenate or reverse change. In a convolution whose window is larger than its result (a weight
/// gradient), the input and the kernel share the factor and the results are unreduced; otherwise the input and the
/// result share it. If window and result have the same size, the two cases look alike and the dimension is whole.
/// special: the results of constants, parameters, infeeds, rng and rng-bit-generator; the dimension of iota; dimensions
/// of batch norms (training and gradient) but the feature; dimensions of the operand (and the result) that gather,
/// scatter, dynamic-slice and dynamic-update-slice index.
///
/// Throws std::logic_error if shapes do not follow from the operands.
OpRule op_rule(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id);

/// Why instructions of this opcode have only factors of kind `whole`; nullptr if they have others. Requires an opcode
/// other than `unknown`.
const char* why_no_sharding_rule(hlo::Opcode opcode);

}  // namespace podsim::hlo::spmd::propagate
