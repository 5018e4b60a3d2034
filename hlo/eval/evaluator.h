// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hlo/graph.h"
#include "hlo/literal.h"
#include "hlo/value.h"

/// The reference evaluator: computes the results of a module in loops that follow the definition of each opcode. Every
/// result is rounded to its element type. Convolution, dot and reductions accumulate in double precision and round
/// once; an f64 module runs in double precision throughout. Integers of every width are exact.
///
/// An asynchronous start has the value of its operation at once. Dynamic dimensions have the size of their bounds until
/// set-dimension-size or dynamic-reshape sets another (rules/actual_shape.h); so has a result.
namespace podsim::hlo::eval {

/// An instruction that cannot be evaluated; the text names it too.
class EvaluationError : public std::logic_error {
 public:
  EvaluationError(std::string instruction, const std::string& text)
      : logic_error(text), instruction_(std::move(instruction)) {}
  const std::string& instruction() const { return instruction_; }

 private:
  std::string instruction_;
};

/// Inputs from outside the devices. Members that a module does not need may stay empty.
struct EvaluationHost {
  /// Takes operands[device][operand] and returns the result of each device, in the instruction's shape. Empty: the
  /// combiner is folded over the devices of a group in their order and rounded once.
  std::function<std::vector<Literal>(const Instruction&, const std::vector<std::vector<Literal>>& operands)> all_reduce;
  std::function<Literal(int device, const Instruction&)> infeed;
  std::function<void(int device, const Literal&)> outfeed;
  /// Called before each instruction; may be empty.
  std::function<void(const Computation&, const Instruction&)> progress;
  /// Seed of rng and rng-get-and-update-state, for which the module has no state.
  std::uint64_t seed = 0;
};

/// Returns the entry computation's result for one device. Throws std::logic_error naming the instruction if the
/// arguments do not match the parameters, and EvaluationError if the module has an infeed and the host has none, or an
/// instruction cannot be evaluated (a custom call that computes, an elided constant, arrays of more than 2 GiB at one
/// time). Throws base::host::Interrupted, with the instruction as its location, when the program is interrupted.
Literal evaluate(const Module& module, std::span<const Literal> arguments, const EvaluationHost& host = {});

/// Evaluates all devices of a program in lock step: takes arguments[device][parameter] and returns the result of each
/// device. Device r * partitions + p runs partition p of replica r; a module with one replica and one partition may run
/// on any number of replicas. Devices may take different branches and trip counts; a collective with an incomplete
/// group is an error.
std::vector<Literal> evaluate_partitions(const Module& module, const std::vector<std::vector<Literal>>& arguments,
                                         const EvaluationHost& host = {});
/// As above, on values, which devices may share.
std::vector<Literal> evaluate_values(const Module& module, std::vector<std::vector<Value>> arguments,
                                     const EvaluationHost& host = {});

}  // namespace podsim::hlo::eval
