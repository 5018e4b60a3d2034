// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/op_partition.h.
#include <algorithm>
#include <utility>

#include "hlo/spmd/partition/factor_split.h"
#include "hlo/spmd/partition/leaves.h"
#include "hlo/spmd/propagate/combiner.h"
#include "hlo/spmd/reshard/reshard.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// Writes the same op on shards, with those attributes adapted that are sizes.
class FactorOp {
 public:
  FactorOp(reshard::LocalProgram& program, const partition::OpToPartition& op)
      : program_(program),
        builder_(program.builder()),
        op_(op),
        instruction_(op.instruction()),
        rule_(propagate::op_rule(op.module, op.computation, op.id)),
        split_(choose_split(program.mesh(), rule_, op, splittable())),
        reduced_(reduced_sub_axes(rule_, split_)) {}

  std::vector<reshard::LocalValue> write() {
    for (std::size_t k = 0; k < op_.operands.size(); ++k) {
      const reshard::LocalValue operand = sharded_operand(program_, split_, rule_.operands[k], op_.operands[k]);
      operands_.push_back(operand.id);
      if (reduced_.empty() || is_start(k)) continue;
      const hlo::InstructionId neutral = neutral_element(operand.shape.element_type);
      operands_.back() = masked_for_reduction(program_, rule_, split_, rule_.operands[k], operand, neutral).id;
    }
    if (!reduced_.empty() && has_start()) start_once();
    hlo::Instruction local = attributes_of(instruction_);
    std::size_t next = 0;
    for (const hlo::InstructionId operand : instruction_.operands) {
      const hlo::Shape& shape = op_.computation[operand].shape;
      const std::size_t count = mesh::leaf_shapes(shape).size();
      local.operands.push_back(together(builder_, shape, std::span(operands_).subspan(next, count)));
      next += count;
    }
    for (hlo::ComputationId& called : local.called) called = program_.called(op_.module, called);
    set_sizes(local);
    return results(builder_.add(std::move(local)));
  }

 private:
  std::vector<bool> splittable() const {
    std::vector<bool> flags = factors_of_kind(rule_, {Kind::parallel, Kind::reduction});
    // Each partial result of a scatter would include the operand.
    for (std::size_t f = 0; f < flags.size(); ++f) {
      if (instruction_.opcode == hlo::Opcode::scatter && rule_.factors[f].kind == Kind::reduction) flags[f] = false;
    }
    return flags;
  }

  /// True if the second operand is an initial value.
  bool has_start() const {
    return instruction_.opcode == hlo::Opcode::reduce || instruction_.opcode == hlo::Opcode::reduce_window;
  }
  bool is_start(std::size_t operand) const { return has_start() && operand == 1; }

  /// The value of masked elements: the identity of a reduction, 0 in a product.
  hlo::InstructionId neutral_element(hlo::ElementType type) {
    return propagate::identity_of(builder_, has_start() ? rule_.combiner : hlo::Opcode::add, type);
  }

  /// Replaces the initial value by the identity on all partitions but one, since it counts once. That is not needed for
  /// minimum and maximum.
  void start_once() {
    if (rule_.combiner != hlo::Opcode::add && rule_.combiner != hlo::Opcode::multiply) return;
    const hlo::InstructionId neutral = neutral_element(builder_.type(operands_[1]));
    if (operands_[1] == neutral) return;
    const hlo::InstructionId is_first =
        builder_.compare(program_.position(reduced_), program_.s32(0), hlo::ComparisonDirection::eq);
    operands_[1] = builder_.select(is_first, operands_[1], neutral);
  }

  hlo::Shape local_result() const {
    std::vector<hlo::Shape> arrays;
    const std::vector<const hlo::Shape*> whole = mesh::leaf_shapes(instruction_.shape);
    for (std::size_t k = 0; k < whole.size(); ++k) {
      arrays.push_back(mesh::local_shape(program_.mesh(), *whole[k], sharding_under(rule_.results[k], split_)));
    }
    return shape_of(instruction_.shape, arrays);
  }

  void set_sizes(hlo::Instruction& local) const {
    local.shape = local_result();
    if (local.operands.empty()) return;
    const std::vector<std::int64_t>& sizes = builder_.shape(local.operands[0]).dimensions;
    const std::vector<std::int64_t>& whole = op_.operands[0].shape.dimensions;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == whole[d]) continue;
      // The op takes the whole of a split dimension, or one element of it for each element of another array.
      if (!local.slice_sizes.empty() && local.slice_sizes[d] == whole[d]) local.slice_sizes[d] = sizes[d];
      if (!local.slice.empty()) local.slice[d].limit = sizes[d];
      if (local.opcode == hlo::Opcode::reduce_window && local.window[d].size == whole[d])
        local.window[d].size = sizes[d];
    }
    if (local.opcode == hlo::Opcode::convolution) set_convolution_sizes(local, sizes);
  }

  void set_convolution_sizes(hlo::Instruction& local, const std::vector<std::int64_t>& input) const {
    const std::vector<std::int64_t>& kernel = builder_.shape(local.operands[1]).dimensions;
    const hlo::ConvolutionDimensions& roles = local.convolution;
    const auto size = [](const std::vector<std::int64_t>& sizes, int d) { return sizes[std::size_t(d)]; };
    for (std::size_t i = 0; i < local.window.size(); ++i) local.window[i].size = size(kernel, roles.kernel_spatial[i]);
    if (local.feature_groups > 1) {
      local.feature_groups = size(input, roles.input_feature) / size(kernel, roles.kernel_input_feature);
    }
    if (local.batch_groups > 1) {
      local.batch_groups = size(input, roles.input_batch) / size(local.shape.dimensions, roles.output_batch);
    }
  }

  std::vector<reshard::LocalValue> results(hlo::InstructionId id) {
    const std::vector<const hlo::Shape*> shapes = mesh::leaf_shapes(instruction_.shape);
    const std::vector<hlo::InstructionId> arrays = apart(builder_, id);
    std::vector<reshard::LocalValue> values;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      values.push_back(sharded_result(rule_, split_, k, arrays[k], *shapes[k], rule_.combiner));
    }
    return values;
  }

  reshard::LocalProgram& program_;
  build::GraphBuilder& builder_;
  const partition::OpToPartition& op_;
  const hlo::Instruction& instruction_;
  const propagate::OpRule rule_;
  const FactorSplit split_;
  const mesh::SubAxes reduced_;
  std::vector<hlo::InstructionId> operands_;
};

}  // namespace

std::vector<reshard::LocalValue> partition_by_factors(reshard::LocalProgram& program,
                                                      const partition::OpToPartition& op) {
  return FactorOp(program, op).write();
}

}  // namespace podsim::hlo::spmd::partition
