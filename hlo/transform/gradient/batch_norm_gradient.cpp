// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/batch_norm_gradient.h"

#include <vector>

#include "hlo/transform/formulas/batch_norm.h"
#include "hlo/transform/gradient/movement_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

/// A batch norm by its formula, differentiated through it.
class Normalisation {
 public:
  explicit Normalisation(Backward& s) : s_(s), type_(formulas::batch_norm_type(s.b.type(s.x(0)))) {
    for (std::size_t k = 0; k < s.forward.operands.size(); ++k) operands_.push_back(s.b.convert(s.x(k), type_));
  }

  std::vector<InstructionId> results(Opcode opcode, const std::vector<InstructionId>& operands) const {
    const Shape& shape = s_.b.shape(operands_[0]);
    const std::int64_t count = shape.element_count() / shape.dimensions[std::size_t(s_.forward.index)];
    Instruction norm = s_.forward;
    norm.opcode = opcode;
    return formulas::write_batch_norm(s_.b, norm, operands, count, [this](InstructionId x) { return sum(x); });
  }
  InstructionId mean(InstructionId x) const {
    const Shape& shape = s_.b.shape(operands_[0]);
    const double count = double(shape.element_count()) / double(shape.dimensions[std::size_t(s_.forward.index)]);
    const InstructionId sums = sum(x);
    return s_.b.divide(sums, s_.b.full_like(sums, count));
  }
  const std::vector<InstructionId>& operands() const { return operands_; }

 private:
  InstructionId sum(InstructionId x) const {
    return summed(s_.b, x, other_dimensions(s_.b.shape(x).rank(), {s_.forward.index}));
  }

  Backward& s_;
  ElementType type_;
  std::vector<InstructionId> operands_;
};

}  // namespace

namespace of {

/// The variance from the centred values: its slope loses no digits where the mean is large.
void batch_norm_training(Backward& s) {
  const Normalisation norm(s);
  const InstructionId x = norm.operands()[0], mean = norm.mean(x);
  const InstructionId centred = s.b.subtract(x, s.b.broadcast(mean, s.b.shape(x).dimensions, {s.forward.index}));
  const InstructionId variance = norm.mean(s.b.multiply(centred, centred));
  const InstructionId normalised =
      norm.results(Opcode::batch_norm_inference, {x, norm.operands()[1], norm.operands()[2], mean, variance})[0];
  s.through({normalised, mean, variance});
}

void batch_norm_inference(Backward& s) {
  const Normalisation norm(s);
  s.through(norm.results(Opcode::batch_norm_inference, norm.operands()));
}

void batch_norm_grad(Backward& s) {
  const Normalisation norm(s);
  s.through(norm.results(Opcode::batch_norm_grad, norm.operands()));
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
