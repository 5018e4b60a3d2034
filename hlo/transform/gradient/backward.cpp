// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/backward.h"

#include <algorithm>
#include <utility>

#include "hlo/rules/tuple_leaves.h"
#include "hlo/transform/formulas/leaves.h"
#include "hlo/transform/gradient/no_gradient.h"
#include "hlo/transform/gradient/reverse_sweep.h"

namespace podsim::hlo::transform::gradient {

Backward::Backward(ReverseSweep& sweep, build::GraphBuilder& builder, Instruction instruction, InstructionId id,
                   std::vector<InstructionId> gradients)
    : b(builder), forward(std::move(instruction)), y(id), slopes(std::move(gradients)), sweep_(sweep) {}

InstructionId Backward::slope_or_zeros(std::size_t leaf) {
  return slopes[leaf] >= 0 ? slopes[leaf] : b.full(formulas::leaf_shape(forward.shape, leaf), 0);
}

std::size_t Backward::leaves_before(const Shape& tuple, std::int64_t element) {
  return rules::TupleLeaves().before(tuple, element);
}

bool Backward::wants(std::size_t operand) const {
  return sweep_.wants(x(operand)) && formulas::has_any_slope(b.shape(x(operand)));
}

void Backward::give_leaf(std::size_t operand, std::size_t leaf, InstructionId gradient) {
  sweep_.contribute(x(operand), leaf, gradient);
}

void Backward::through(const std::vector<InstructionId>& leaves) {
  std::vector<InstructionId> sources;
  for (std::size_t k = 0; k < forward.operands.size(); ++k) {
    if (wants(k) && std::ranges::find(sources, x(k)) == sources.end()) sources.push_back(x(k));
  }
  ReverseSweep inner(b, sources, b.size() - 1, {.stops_at_sources = true});
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (slopes[leaf] >= 0) inner.contribute(leaves[leaf], 0, slopes[leaf]);
  }
  inner.run();
  for (const InstructionId source : sources) {
    const std::size_t count = rules::leaf_count(b.shape(source));
    for (std::size_t leaf = 0; leaf < count; ++leaf) {
      if (const InstructionId found = inner.gradient(source, leaf); found >= 0) {
        sweep_.contribute(source, leaf, found);
      }
    }
  }
}

Opcode Backward::combiner(std::size_t which) const {
  const Computation& combiner = b.called_computations()[std::size_t(forward.called[which])];
  const Instruction& root = combiner[combiner.root];
  const bool is_one = combiner.instructions.size() == 3 && combiner.parameters.size() == 2 &&
                      root.operands.size() == 2 && root.operands[0] != root.operands[1];
  return is_one ? root.opcode : Opcode::unknown;
}

void Backward::refuse(std::string_view why) const { throw NoGradient(forward, why); }

}  // namespace podsim::hlo::transform::gradient
