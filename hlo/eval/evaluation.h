// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hlo/channels.h"
#include "hlo/eval/evaluator.h"
#include "hlo/eval/scalar_function.h"
#include "hlo/op_table.h"
#include "hlo/value.h"

namespace podsim::hlo::eval {

/// State that the evaluations of all computations of a run share.
struct EvaluationRun {
  const Module& module;
  const EvaluationHost& host;
  std::int64_t replicas, partitions;
  std::vector<std::uint64_t> drawn;  ///< by device: number of rng instructions evaluated so far
  Channels channels;
  std::int64_t executed = 0;  ///< number of instructions evaluated so far
  bool sizes_vary = false;    ///< a value may have other sizes than its instruction (rules/actual_shape.h)
};

/// Evaluates one computation on some devices in lock step, one instruction at a time.
class Evaluation {
 public:
  /// `devices` are flat ids.
  Evaluation(EvaluationRun& run, const Computation& computation, std::vector<int> devices);

  /// Takes arguments[i][parameter] for devices_[i] and returns the root's value for each. Throws std::logic_error
  /// naming the instruction that cannot be evaluated.
  std::vector<Value> run(const std::vector<std::vector<Value>>& arguments);

  /// Why instructions of this opcode cannot be evaluated; nullptr if they can. Requires an opcode other than `unknown`.
  static const char* why_no_value(Opcode opcode);

 private:
  /// Evaluates an array from arrays on device devices_[at].
  struct ArrayCall {
    Evaluation& evaluation;
    const Instruction& instruction;
    const std::vector<const Literal*>& operands;
    std::size_t at;

    /// The i-th function on scalars that the instruction calls.
    ScalarFunction function(std::size_t i) const;
  };
  struct Arrays;
  /// How an opcode is evaluated: on all devices together, on one whatever its operands are, or on one from arrays.
  struct ValueRule {
    std::vector<Value> (Evaluation::*together)(const Instruction&) = nullptr;
    Value (Evaluation::*alone)(const Instruction&, std::size_t at) = nullptr;
    Literal (*array)(const ArrayCall&) = nullptr;
  };
  static const OpTable<ValueRule> value_rules;  ///< value_rules.cpp

  std::vector<Value> evaluate(const Instruction& instruction, const std::vector<std::vector<Value>>& arguments);
  /// Throws if a result of this shape does not fit into memory together with the values that are held.
  void require_room(const Shape& shape) const;
  Value evaluate_alone(const Instruction& instruction, std::size_t at);
  Value evaluate_array(const Instruction& instruction, std::size_t at);
  /// True if an operand has other sizes than its instruction on a device.
  bool has_other_sizes(const Instruction& instruction, std::size_t at) const;
  /// The instruction with the shape that its result has (rules/actual_shape.h).
  Instruction at_actual_sizes(const Instruction& instruction, const std::vector<const Literal*>& operands) const;
  void require_written_sizes(const Instruction& instruction) const;
  Literal evaluate_operands(const Instruction& instruction, const std::vector<const Literal*>& operands,
                            std::size_t at);
  std::vector<Value> custom_call(const Instruction& instruction);
  Value custom_call_alone(const Instruction& instruction, std::size_t at) const;
  Value tuple(const Instruction& instruction, std::size_t at);
  Value element_of_tuple(const Instruction& instruction, std::size_t at);
  Value first_operand(const Instruction& instruction, std::size_t at);
  Value barrier(const Instruction& instruction, std::size_t at);
  Value selected(const Instruction& instruction, std::size_t at);
  Value constant(const Instruction& instruction, std::size_t at);
  Value new_token(const Instruction& instruction, std::size_t at);
  Value feed_out(const Instruction& instruction, std::size_t at);
  /// The ends of a region in which every partition has its shard (shard_values.h).
  std::vector<Value> shards(const Instruction& instruction);
  std::vector<Value> wholes(const Instruction& instruction);
  Value feed_in(const Instruction& instruction, std::size_t at);
  Literal random(const Instruction& instruction, const std::vector<const Literal*>& operands, std::size_t at);
  Value random_state(const Instruction& instruction, std::size_t at);
  Value device_id(const Instruction& instruction, std::size_t at);

  std::vector<Value> call(const Instruction& instruction);
  std::vector<Value> loop(const Instruction& instruction);
  std::vector<Value> branch(const Instruction& instruction);
  std::int64_t chosen_branch(const Instruction& instruction, std::size_t at) const;
  std::vector<Value> collective(const Instruction& instruction);
  std::vector<Value> collective_of_host(const Instruction& instruction);
  std::vector<Value> send(const Instruction& instruction);
  Value receive(const Instruction& done, std::size_t at);
  std::vector<Value> permute(const Instruction& instruction);
  std::vector<Value> in_group(const Instruction& instruction, const std::vector<std::vector<const Literal*>>& operands);
  std::size_t index_of(std::int64_t device) const;

  const Value& operand(const Instruction& instruction, std::size_t k, std::size_t at) const {
    return values_[std::size_t(instruction.operands[k])][at];
  }
  std::vector<const Literal*> arrays(const Instruction& instruction, std::size_t at) const;

  EvaluationRun& run_;
  const Computation& computation_;
  std::vector<int> devices_;
  std::vector<std::vector<Value>> values_;  ///< [instruction][index into devices_]
};

}  // namespace podsim::hlo::eval
