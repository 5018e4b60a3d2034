// SPDX-License-Identifier: Apache-2.0
// Part of sw/spmd/partition/special_op.h.
#include <numeric>
#include <utility>

#include "sw/spmd/partition/special_op.h"

namespace podsim::sw::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// Writes one batch norm. It computes in f32, or in f64 if that is its type.
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
    const ir::Shape& whole = op_.operands[0].shape;
    for (std::size_t f = 0; f < split_.size(); ++f) {
      if (rule_.factors[f].kind == Kind::special) reduced_.insert(reduced_.end(), split_[f].begin(), split_[f].end());
    }
    type_ = whole.element_type == ir::ElementType::f64 ? ir::ElementType::f64 : ir::ElementType::f32;
    count_ = whole.element_count() / whole.dimensions[std::size_t(instruction_.index)];
    for (int d = 0; d < whole.rank(); ++d) {
      if (d != instruction_.index) summed_.push_back(d);
    }
    for (std::size_t k = 0; k < op_.operands.size(); ++k) operands_.push_back(operand(k));
    return instruction_.opcode == ir::Opcode::batch_norm_training ? training() : gradient();
  }

 private:
  /// Operand `k` with zeros beyond the end of the array, so that sums are not affected.
  ir::InstructionId operand(std::size_t k) {
    reshard::LocalValue value = sharded_operand(program_, split_, rule_.operands[k], op_.operands[k]);
    value = program_.masked(value, b_.constant(value.shape.element_type, 0));
    return b_.convert(value.id, type_);
  }

  /// The sum over all dimensions of the whole array but the feature.
  ir::InstructionId sum(ir::InstructionId values) {
    return program_.all_reduce(b_.reduce_add(values, summed_), reduced_, ir::Opcode::add);
  }
  ir::InstructionId average(ir::InstructionId sums) { return b_.divide(sums, b_.full_like(sums, double(count_))); }
  /// Broadcasts one number per feature to the shape of the operand.
  ir::InstructionId everywhere(ir::InstructionId per_feature) {
    return b_.broadcast(per_feature, b_.shape(operands_[0]).dimensions, {instruction_.index});
  }
  ir::InstructionId inverse_deviation(ir::InstructionId variance) {
    return b_.rsqrt(b_.add(variance, b_.full_like(variance, instruction_.epsilon)));
  }

  std::vector<reshard::LocalValue> training() {
    const ir::InstructionId x = operands_[0], scale = operands_[1], offset = operands_[2];
    const ir::InstructionId mean = average(sum(x));
    const ir::InstructionId squares = average(sum(b_.multiply(x, x)));
    const ir::InstructionId variance = b_.maximum(b_.subtract(squares, b_.multiply(mean, mean)), b_.full_like(mean, 0));
    const ir::InstructionId factor = b_.multiply(scale, inverse_deviation(variance));
    const ir::InstructionId centred = b_.subtract(x, everywhere(mean));
    return results({b_.add(b_.multiply(centred, everywhere(factor)), everywhere(offset)), mean, variance});
  }

  std::vector<reshard::LocalValue> gradient() {
    const ir::InstructionId scale = operands_[1], mean = operands_[2], dy = operands_[4];
    const ir::InstructionId inverse = inverse_deviation(operands_[3]);
    const ir::InstructionId centred = b_.multiply(b_.subtract(operands_[0], everywhere(mean)), everywhere(inverse));
    const ir::InstructionId offsets = sum(dy), scales = sum(b_.multiply(dy, centred));
    const ir::InstructionId shared =
        b_.add(everywhere(average(offsets)), b_.multiply(centred, everywhere(average(scales))));
    const ir::InstructionId factor = b_.multiply(scale, inverse);
    return results({b_.multiply(everywhere(factor), b_.subtract(dy, shared)), scales, offsets});
  }

  std::vector<reshard::LocalValue> results(const std::vector<ir::InstructionId>& values) {
    std::vector<reshard::LocalValue> results;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const ir::Shape& shape = instruction_.shape.tuple_shapes[k];
      results.push_back(sharded_result(rule_, split_, k, b_.convert(values[k], shape.element_type), shape));
    }
    return results;
  }

  reshard::LocalProgram& program_;
  ir::build::GraphBuilder& b_;
  const partition::OpToPartition& op_;
  const ir::Instruction& instruction_;
  const propagate::OpRule rule_;
  const FactorSplit split_;
  mesh::SubAxes reduced_;
  ir::ElementType type_ = ir::ElementType::f32;
  std::int64_t count_ = 1;  ///< number of elements of one feature
  std::vector<std::int64_t> summed_;
  std::vector<ir::InstructionId> operands_;
};

}  // namespace

std::vector<reshard::LocalValue> partition_batch_norm(reshard::LocalProgram& program,
                                                      const partition::OpToPartition& op) {
  return ShardedBatchNorm(program, op).write();
}

}  // namespace podsim::sw::spmd::partition
