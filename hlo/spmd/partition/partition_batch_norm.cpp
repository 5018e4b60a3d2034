// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/special_op.h.
#include <numeric>
#include <utility>

#include "hlo/spmd/partition/special_op.h"
#include "hlo/transform/formulas/batch_norm.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// Writes one batch norm.
class ShardedBatchNorm {
 public:
  ShardedBatchNorm(reshard::LocalProgram& program, const partition::OpToPartition& op)
      : program_(program),
        b_(program.builder()),
        op_(op),
        instruction_(op.instruction()),
        rule_(propagate::op_rule(op.module, op.computation, op.id)),
        split_(choose_split(program.mesh(), rule_, op, factors_of_kind(rule_, {Kind::parallel, Kind::special}))) {}

  std::vector<reshard::LocalValue> write() {
    if (!is_split(rule_, split_, Kind::special)) return {};
    const hlo::Shape& whole = op_.operands[0].shape;
    for (std::size_t f = 0; f < split_.size(); ++f) {
      if (rule_.factors[f].kind == Kind::special) reduced_.insert(reduced_.end(), split_[f].begin(), split_[f].end());
    }
    type_ = transform::formulas::batch_norm_type(whole.element_type);
    count_ = whole.element_count() / whole.dimensions[std::size_t(instruction_.index)];
    for (int d = 0; d < whole.rank(); ++d) {
      if (d != instruction_.index) summed_.push_back(d);
    }
    for (std::size_t k = 0; k < op_.operands.size(); ++k) operands_.push_back(operand(k));
    const std::vector<hlo::InstructionId> values = transform::formulas::write_batch_norm(
        b_, instruction_, operands_, count_, [this](hlo::InstructionId x) { return sum(x); });
    return results(values);
  }

 private:
  /// Operand `k` with zeros beyond the end of the array, so that sums are not affected.
  hlo::InstructionId operand(std::size_t k) {
    reshard::LocalValue value = sharded_operand(program_, split_, rule_.operands[k], op_.operands[k]);
    value = program_.masked(value, b_.constant(value.shape.element_type, 0));
    return b_.convert(value.id, type_);
  }

  /// The sum over all dimensions of the whole array but the feature.
  hlo::InstructionId sum(hlo::InstructionId values) {
    return program_.all_reduce(b_.reduce_add(values, summed_), reduced_, hlo::Opcode::add);
  }

  std::vector<reshard::LocalValue> results(const std::vector<hlo::InstructionId>& values) {
    std::vector<reshard::LocalValue> results;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const hlo::Shape& shape = instruction_.shape.tuple_shapes[k];
      results.push_back(sharded_result(rule_, split_, k, b_.convert(values[k], shape.element_type), shape));
    }
    return results;
  }

  reshard::LocalProgram& program_;
  build::GraphBuilder& b_;
  const partition::OpToPartition& op_;
  const hlo::Instruction& instruction_;
  const propagate::OpRule rule_;
  const FactorSplit split_;
  mesh::SubAxes reduced_;
  hlo::ElementType type_ = hlo::ElementType::f32;
  std::int64_t count_ = 1;  ///< number of elements of one feature
  std::vector<std::int64_t> summed_;
  std::vector<hlo::InstructionId> operands_;
};

}  // namespace

std::vector<reshard::LocalValue> partition_batch_norm(reshard::LocalProgram& program,
                                                      const partition::OpToPartition& op) {
  return ShardedBatchNorm(program, op).write();
}

}  // namespace podsim::hlo::spmd::partition
