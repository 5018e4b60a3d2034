// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

/// The plain reference evaluator: what a module means, in loops that follow the definition of each opcode. Every result
/// is rounded to its element type; convolution, dot and reductions accumulate in double precision and round once; an
/// f64 module runs in double precision throughout. Integers of every width are exact.
///
/// An asynchronous start has the value of what it starts at once. Sizes of dynamic dimensions are their bounds.
namespace podsim::sw {

/// What the world outside a device supplies. Members that a module does not need may stay empty.
struct EvaluationHost {
  /// operands[device][operand] -> result of each device, in the instruction's shape. Empty: the combiner is folded over
  /// the devices of a group in its order and rounded once.
  std::function<std::vector<Literal>(const Instruction&, const std::vector<std::vector<Literal>>& operands)> all_reduce;
  std::function<Literal(int device, const Instruction&)> infeed;
  std::function<void(int device, const Literal&)> outfeed;
  /// Of rng and rng-get-and-update-state, which the module does not give a state.
  std::uint64_t seed = 0;
};

/// The entry computation's result for one device. Throws std::logic_error naming the instruction when the arguments do
/// not match the parameters, the module feeds in and the host has no infeed, or something cannot be evaluated (a custom
/// call, complex numbers, send and recv, an elided constant).
Literal evaluate(const Module& module, std::span<const Literal> arguments, const EvaluationHost& host = {});

/// All devices of a program in lock step: arguments[device][parameter] -> result of each. Device r * partitions + p
/// runs partition p of replica r; a module that counts one device may be evaluated on any number of replicas. Loops and
/// branches may go different ways on different devices; a collective whose group is not complete is an error.
std::vector<Literal> evaluate_partitions(const Module& module, const std::vector<std::vector<Literal>>& arguments,
                                         const EvaluationHost& host = {});

}  // namespace podsim::sw
