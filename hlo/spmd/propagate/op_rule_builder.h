// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/spmd/propagate/op_rule.h"

namespace podsim::hlo::spmd::propagate {

/// Collects the factors of one instruction.
class OpRuleBuilder {
 public:
  /// A dimension of an array of the op.
  struct Place {
    bool is_result;
    int array, dimension;
  };

  OpRuleBuilder(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id);

  const hlo::Instruction& instruction() const { return instruction_; }
  /// The shape of operand `i` as the instruction has it.
  const hlo::Shape& operand_shape(int i) const { return computation_[instruction_.operands[std::size_t(i)]].shape; }
  int operand_count() const { return int(operands_.size()); }
  int result_count() const { return int(results_.size()); }
  /// The shapes of arrays, tuples flattened.
  const hlo::Shape& operand(int array) const { return *operands_[std::size_t(array)]; }
  const hlo::Shape& result(int array) const { return *results_[std::size_t(array)]; }

  static Place in(int array, int dimension) { return {false, array, dimension}; }
  static Place out(int array, int dimension) { return {true, array, dimension}; }

  /// Appends a new factor to those that each of these dimensions has; its size is that of the last dimension.
  void join(Factor::Kind kind, const std::vector<Place>& dimensions);
  /// As above, for a factor of `size` elements that is a part of these dimensions.
  void join_part(Factor::Kind kind, std::int64_t size, const std::vector<Place>& dimensions);
  /// Joins operand array `operand` and result array `result`, which have the same dimensions, by parallel factors.
  void join_arrays(int operand, int result);

  /// Makes the combiner that the instruction calls that of the rule, if it is a simple one; returns whether it is.
  bool take_simple_combiner();

  /// Returns the rule. Dimensions that have no factor are whole, except those of one element.
  OpRule finish() &&;

 private:
  std::vector<int>& factors_of(const Place& place);
  std::int64_t size_of(const Place& place) const;

  const hlo::Module& module_;
  const hlo::Computation& computation_;
  const hlo::Instruction& instruction_;
  std::vector<const hlo::Shape*> operands_, results_;
  OpRule rule_;
};

/// The rules of opcodes, which op_rule calls.
void dot_rule(OpRuleBuilder& rule);
void convolution_rule(OpRuleBuilder& rule);
void reshape_rule(OpRuleBuilder& rule);
void bitcast_rule(OpRuleBuilder& rule);
void bitcast_convert_rule(OpRuleBuilder& rule);
void gather_rule(OpRuleBuilder& rule);
void scatter_rule(OpRuleBuilder& rule);
void dynamic_slice_rule(OpRuleBuilder& rule);
void dynamic_update_slice_rule(OpRuleBuilder& rule);
void reduce_rule(OpRuleBuilder& rule);
void reduce_window_rule(OpRuleBuilder& rule);
void select_and_scatter_rule(OpRuleBuilder& rule);
void pad_rule(OpRuleBuilder& rule);
void slice_rule(OpRuleBuilder& rule);
void concatenate_rule(OpRuleBuilder& rule);
void reverse_rule(OpRuleBuilder& rule);

}  // namespace podsim::hlo::spmd::propagate
