// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sw/spmd/combiner.h"
#include "sw/spmd/factor_cut.h"
#include "sw/spmd/leaves.h"
#include "sw/spmd/reshard.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

/// One op while it is written: the same op on shards, but for attributes that are sizes.
class FactorOp {
 public:
  FactorOp(LocalProgram& program, const OpToPartition& op)
      : program_(program),
        builder_(program.builder()),
        op_(op),
        instruction_(op.instruction()),
        rule_(op_rule(op.module, op.computation, op.id)),
        cuts_(choose_cuts(program.mesh(), rule_, op, cuttable())),
        reduced_(reduced_sub_axes(rule_, cuts_)) {}

  std::vector<LocalValue> write() {
    for (std::size_t k = 0; k < op_.operands.size(); ++k) {
      const LocalValue operand = cut_operand(program_, cuts_, rule_.operands[k], op_.operands[k]);
      operands_.push_back(operand.id);
      if (reduced_.empty() || is_start(k)) continue;
      const InstructionId neutral = neutral_element(operand.shape.element_type);
      operands_.back() = masked_for_reduction(program_, rule_, cuts_, rule_.operands[k], operand, neutral).id;
    }
    if (!reduced_.empty() && has_start()) start_once();
    Instruction local = attributes_of(instruction_);
    std::size_t next = 0;
    for (const InstructionId operand : instruction_.operands) {
      const Shape& shape = op_.computation[operand].shape;
      const std::size_t count = leaf_shapes(shape).size();
      local.operands.push_back(together(builder_, shape, std::span(operands_).subspan(next, count)));
      next += count;
    }
    for (ComputationId& called : local.called) called = program_.called(op_.module, called);
    set_sizes(local);
    return results(builder_.add(std::move(local)));
  }

 private:
  std::vector<bool> cuttable() const {
    std::vector<bool> flags = factors_of_kind(rule_, {Kind::parallel, Kind::reduction});
    // Each of a scatter's partial results would have the operand in it.
    for (std::size_t f = 0; f < flags.size(); ++f) {
      if (instruction_.opcode == Opcode::scatter && rule_.factors[f].kind == Kind::reduction) flags[f] = false;
    }
    return flags;
  }

  /// Whether the op starts from its second operand.
  bool has_start() const {
    return instruction_.opcode == Opcode::reduce || instruction_.opcode == Opcode::reduce_window;
  }
  bool is_start(std::size_t operand) const { return has_start() && operand == 1; }

  /// What a masked element is: nothing to a reduction, 0 in a product.
  InstructionId neutral_element(ElementType type) {
    return identity_of(builder_, has_start() ? rule_.combiner : Opcode::add, type);
  }

  /// The initial value counts on one partition; those of extremes may count everywhere.
  void start_once() {
    if (rule_.combiner != Opcode::add && rule_.combiner != Opcode::multiply) return;
    const InstructionId neutral = neutral_element(builder_.type(operands_[1]));
    if (operands_[1] == neutral) return;
    const InstructionId is_first =
        builder_.compare(program_.position(reduced_), program_.s32(0), ComparisonDirection::eq);
    operands_[1] = builder_.select(is_first, operands_[1], neutral);
  }

  Shape local_result() const {
    std::vector<Shape> arrays;
    const std::vector<const Shape*> whole = leaf_shapes(instruction_.shape);
    for (std::size_t k = 0; k < whole.size(); ++k) {
      arrays.push_back(local_shape(program_.mesh(), *whole[k], sharding_under(rule_.results[k], cuts_)));
    }
    return shape_of(instruction_.shape, arrays);
  }

  void set_sizes(Instruction& local) const {
    local.shape = local_result();
    if (local.operands.empty()) return;
    const std::vector<std::int64_t>& sizes = builder_.shape(local.operands[0]).dimensions;
    const std::vector<std::int64_t>& whole = op_.operands[0].shape.dimensions;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == whole[d]) continue;
      // A cut dimension is one that the op takes all of, or one element for each of another array's.
      if (!local.slice_sizes.empty() && local.slice_sizes[d] == whole[d]) local.slice_sizes[d] = sizes[d];
      if (!local.slice.empty()) local.slice[d].limit = sizes[d];
      if (local.opcode == Opcode::reduce_window && local.window[d].size == whole[d]) local.window[d].size = sizes[d];
    }
    if (local.opcode == Opcode::convolution) set_convolution_sizes(local, sizes);
  }

  void set_convolution_sizes(Instruction& local, const std::vector<std::int64_t>& input) const {
    const std::vector<std::int64_t>& kernel = builder_.shape(local.operands[1]).dimensions;
    const ConvolutionDimensions& roles = local.convolution;
    const auto size = [](const std::vector<std::int64_t>& sizes, int d) { return sizes[std::size_t(d)]; };
    for (std::size_t i = 0; i < local.window.size(); ++i) local.window[i].size = size(kernel, roles.kernel_spatial[i]);
    if (local.feature_groups > 1) {
      local.feature_groups = size(input, roles.input_feature) / size(kernel, roles.kernel_input_feature);
    }
    if (local.batch_groups > 1) {
      local.batch_groups = size(input, roles.input_batch) / size(local.shape.dimensions, roles.output_batch);
    }
  }

  std::vector<LocalValue> results(InstructionId id) {
    const std::vector<const Shape*> shapes = leaf_shapes(instruction_.shape);
    const std::vector<InstructionId> arrays = apart(builder_, id);
    std::vector<LocalValue> values;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      values.push_back(cut_result(rule_, cuts_, k, arrays[k], *shapes[k], rule_.combiner));
    }
    return values;
  }

  LocalProgram& program_;
  GraphBuilder& builder_;
  const OpToPartition& op_;
  const Instruction& instruction_;
  const OpRule rule_;
  const FactorCuts cuts_;
  const SubAxes reduced_;
  std::vector<InstructionId> operands_;
};

}  // namespace

std::vector<LocalValue> partition_by_factors(LocalProgram& program, const OpToPartition& op) {
  return FactorOp(program, op).write();
}

}  // namespace podsim::sw
