// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

/// The plain reference evaluator: what a module means, in loops that follow the definition of each opcode. Every result
/// is rounded to its element type; convolution, dot and reductions accumulate in double precision and round once; an
/// f64 module runs in double precision throughout.
namespace podsim::sw {

/// What the world outside a partition supplies. Members that a module does not need may stay empty.
struct EvaluationHost {
  /// operands[partition][operand] -> result of each partition, in the instruction's shape. Empty: the combiner is
  /// folded over the partitions in their order and rounded once.
  std::function<std::vector<Literal>(const Instruction&, const std::vector<std::vector<Literal>>& operands)> all_reduce;
  std::function<Literal(int partition, const Instruction&)> infeed;
  std::function<void(int partition, const Literal&)> outfeed;
};

/// The entry computation's result for one partition. Throws std::logic_error when the arguments do not match the
/// parameters or the module feeds in and the host has no infeed.
Literal evaluate(const Module& module, std::span<const Literal> arguments, const EvaluationHost& host = {});

/// All partitions of an SPMD program in lock step: arguments[partition][parameter] -> result of each partition.
std::vector<Literal> evaluate_partitions(const Module& module, const std::vector<std::vector<Literal>>& arguments,
                                         const EvaluationHost& host = {});

}  // namespace podsim::sw
