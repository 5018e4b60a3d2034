// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient.h"

#include <stdexcept>

#include "hlo/transform/gradient/reverse_sweep.h"

namespace podsim::hlo::transform {

std::vector<InstructionId> gradients(build::GraphBuilder& builder, InstructionId loss,
                                     std::span<const InstructionId> of, std::span<const InstructionId> held,
                                     std::span<const GivenGradient> given, std::span<const InstructionId> sums) {
  if (builder.shape(loss).rank() != 0 || !is_floating_point(builder.type(loss))) {
    throw std::logic_error("the loss to differentiate must be a floating-point scalar");
  }
  gradient::ReverseSweep sweep(builder, of, loss, {.held = held, .given = given});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (of[i] <= loss) sweep.seed(of[i], 0, sums[i]);
  }
  sweep.seed(loss, 0, builder.constant(builder.type(loss), 1));
  sweep.run();
  std::vector<InstructionId> results;
  for (const InstructionId value : of) {
    const InstructionId gradient = sweep.gradient(value);
    results.push_back(gradient >= 0 ? gradient : builder.full_like(value, 0));
  }
  return results;
}

}  // namespace podsim::hlo::transform
