// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/batch_norm.h"

namespace podsim::hlo::transform::formulas {
namespace {

class BatchNormWriter {
 public:
  BatchNormWriter(build::GraphBuilder& builder, const Instruction& instruction, std::span<const InstructionId> operands,
                  std::int64_t count, const std::function<InstructionId(InstructionId)>& sum)
      : b_(builder), instruction_(instruction), operands_(operands), count_(count), sum_(sum) {}

  std::vector<InstructionId> training() {
    const InstructionId x = operands_[0];
    const InstructionId mean = average(sum_(x)), squares = average(sum_(b_.multiply(x, x)));
    const InstructionId variance = b_.maximum(b_.subtract(squares, b_.multiply(mean, mean)), b_.full_like(mean, 0));
    return {normalised(mean, variance), mean, variance};
  }

  std::vector<InstructionId> inference() { return {normalised(operands_[3], operands_[4])}; }

  std::vector<InstructionId> gradient() {
    const InstructionId scale = operands_[1], mean = operands_[2], dy = operands_[4];
    const InstructionId inverse = inverse_deviation(operands_[3]);
    const InstructionId centred = b_.multiply(b_.subtract(operands_[0], everywhere(mean)), everywhere(inverse));
    const InstructionId offsets = sum_(dy), scales = sum_(b_.multiply(dy, centred));
    const InstructionId shared =
        b_.add(everywhere(average(offsets)), b_.multiply(centred, everywhere(average(scales))));
    const InstructionId factor = b_.multiply(scale, inverse);
    return {b_.multiply(everywhere(factor), b_.subtract(dy, shared)), scales, offsets};
  }

 private:
  InstructionId normalised(InstructionId mean, InstructionId variance) {
    const InstructionId factor = b_.multiply(operands_[1], inverse_deviation(variance));
    const InstructionId centred = b_.subtract(operands_[0], everywhere(mean));
    return b_.add(b_.multiply(centred, everywhere(factor)), everywhere(operands_[2]));
  }
  InstructionId average(InstructionId sums) { return b_.divide(sums, b_.full_like(sums, double(count_))); }
  /// Broadcasts one number per feature to the shape of the operand.
  InstructionId everywhere(InstructionId per_feature) {
    return b_.broadcast(per_feature, b_.shape(operands_[0]).dimensions, {instruction_.index});
  }
  InstructionId inverse_deviation(InstructionId variance) {
    return b_.rsqrt(b_.add(variance, b_.full_like(variance, instruction_.epsilon)));
  }

  build::GraphBuilder& b_;
  const Instruction& instruction_;
  std::span<const InstructionId> operands_;
  std::int64_t count_;
  const std::function<InstructionId(InstructionId)>& sum_;
};

}  // namespace

ElementType batch_norm_type(ElementType type) { return type == ElementType::f64 ? type : ElementType::f32; }

std::vector<InstructionId> write_batch_norm(build::GraphBuilder& builder, const Instruction& instruction,
                                            std::span<const InstructionId> operands, std::int64_t count,
                                            const std::function<InstructionId(InstructionId)>& sum) {
  BatchNormWriter writer(builder, instruction, operands, count, sum);
  if (instruction.opcode == Opcode::batch_norm_training) return writer.training();
  return instruction.opcode == Opcode::batch_norm_grad ? writer.gradient() : writer.inference();
}

}  // namespace podsim::hlo::transform::formulas
