// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>

#include "sw/spmd/special_op.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

/// One batch norm while it is written; it computes in f32, or in f64 if that is its type.
class CutBatchNorm {
 public:
  CutBatchNorm(LocalProgram& program, const OpToPartition& op)
      : program_(program),
        b_(program.builder()),
        op_(op),
        instruction_(op.instruction()),
        rule_(op_rule(op.module, op.computation, op.id)),
        cuts_(choose_cuts(program.mesh(), rule_, op, factors_of_kind(rule_, {Kind::parallel, Kind::special}))) {}

  std::vector<LocalValue> write() {
    if (!is_cut(rule_, cuts_, Kind::special)) return {};
    const Shape& whole = op_.operands[0].shape;
    for (std::size_t f = 0; f < cuts_.size(); ++f) {
      if (rule_.factors[f].kind == Kind::special) reduced_.insert(reduced_.end(), cuts_[f].begin(), cuts_[f].end());
    }
    type_ = whole.element_type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
    count_ = whole.element_count() / whole.dimensions[std::size_t(instruction_.index)];
    for (int d = 0; d < whole.rank(); ++d) {
      if (d != instruction_.index) summed_.push_back(d);
    }
    for (std::size_t k = 0; k < op_.operands.size(); ++k) operands_.push_back(operand(k));
    return instruction_.opcode == Opcode::batch_norm_training ? training() : gradient();
  }

 private:
  /// What lies beyond the array is 0, which sums do not see.
  InstructionId operand(std::size_t k) {
    LocalValue value = cut_operand(program_, cuts_, rule_.operands[k], op_.operands[k]);
    value = program_.masked(value, b_.constant(value.shape.element_type, 0));
    return b_.convert(value.id, type_);
  }

  /// Over everything but the feature, of the whole array.
  InstructionId sum(InstructionId values) {
    return program_.all_reduce(b_.reduce_add(values, summed_), reduced_, Opcode::add);
  }
  InstructionId average(InstructionId sums) { return b_.divide(sums, b_.full_like(sums, double(count_))); }
  /// One number per feature, everywhere.
  InstructionId everywhere(InstructionId per_feature) {
    return b_.broadcast(per_feature, b_.shape(operands_[0]).dimensions, {instruction_.index});
  }
  InstructionId inverse_deviation(InstructionId variance) {
    return b_.rsqrt(b_.add(variance, b_.full_like(variance, instruction_.epsilon)));
  }

  std::vector<LocalValue> training() {
    const InstructionId x = operands_[0], scale = operands_[1], offset = operands_[2];
    const InstructionId mean = average(sum(x));
    const InstructionId squares = average(sum(b_.multiply(x, x)));
    const InstructionId variance = b_.maximum(b_.subtract(squares, b_.multiply(mean, mean)), b_.full_like(mean, 0));
    const InstructionId factor = b_.multiply(scale, inverse_deviation(variance));
    const InstructionId centred = b_.subtract(x, everywhere(mean));
    return results({b_.add(b_.multiply(centred, everywhere(factor)), everywhere(offset)), mean, variance});
  }

  std::vector<LocalValue> gradient() {
    const InstructionId scale = operands_[1], mean = operands_[2], dy = operands_[4];
    const InstructionId inverse = inverse_deviation(operands_[3]);
    const InstructionId centred = b_.multiply(b_.subtract(operands_[0], everywhere(mean)), everywhere(inverse));
    const InstructionId offsets = sum(dy), scales = sum(b_.multiply(dy, centred));
    const InstructionId shared =
        b_.add(everywhere(average(offsets)), b_.multiply(centred, everywhere(average(scales))));
    const InstructionId factor = b_.multiply(scale, inverse);
    return results({b_.multiply(everywhere(factor), b_.subtract(dy, shared)), scales, offsets});
  }

  std::vector<LocalValue> results(const std::vector<InstructionId>& values) {
    std::vector<LocalValue> results;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Shape& shape = instruction_.shape.tuple_shapes[k];
      results.push_back(cut_result(rule_, cuts_, k, b_.convert(values[k], shape.element_type), shape));
    }
    return results;
  }

  LocalProgram& program_;
  GraphBuilder& b_;
  const OpToPartition& op_;
  const Instruction& instruction_;
  const OpRule rule_;
  const FactorCuts cuts_;
  SubAxes reduced_;
  ElementType type_ = ElementType::f32;
  std::int64_t count_ = 1;  ///< elements of a feature
  std::vector<std::int64_t> summed_;
  std::vector<InstructionId> operands_;
};

}  // namespace

std::vector<LocalValue> partition_batch_norm(LocalProgram& program, const OpToPartition& op) {
  return CutBatchNorm(program, op).write();
}

}  // namespace podsim::sw
