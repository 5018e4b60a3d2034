// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/spmd/op_rule.h"

namespace podsim::sw {

/// Collects the factors of one instruction.
class OpRuleBuilder {
 public:
  /// A dimension of an array of the op.
  struct Place {
    bool is_result;
    int array, dimension;
  };

  OpRuleBuilder(const Module& module, const Computation& computation, InstructionId id);

  const Instruction& instruction() const { return instruction_; }
  int operand_count() const { return int(operands_.size()); }
  int result_count() const { return int(results_.size()); }
  /// The shapes of arrays, tuples flattened.
  const Shape& operand(int array) const { return *operands_[std::size_t(array)]; }
  const Shape& result(int array) const { return *results_[std::size_t(array)]; }

  static Place in(int array, int dimension) { return {false, array, dimension}; }
  static Place out(int array, int dimension) { return {true, array, dimension}; }

  /// A new factor behind those that each of these dimensions has; its size is that of the last one.
  void join(Factor::Kind kind, const std::vector<Place>& places);
  /// A new factor that is a part of these dimensions.
  void join_part(Factor::Kind kind, std::int64_t size, const std::vector<Place>& places);
  /// Operand array `array` and result array `result` have the same dimensions, all of them parallel.
  void join_arrays(int operand, int result);

  /// The combiner that the instruction calls, if partial results can be combined by it; it becomes the rule's.
  bool take_simple_combiner();

  /// The rule; dimensions of more or less than one element that no factor was given are whole.
  OpRule finish() &&;

 private:
  std::vector<int>& factors_of(const Place& place);
  std::int64_t size_of(const Place& place) const;

  const Module& module_;
  const Instruction& instruction_;
  std::vector<const Shape*> operands_, results_;
  OpRule rule_;
};

/// Families of op_rule.
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

}  // namespace podsim::sw
