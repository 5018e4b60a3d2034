// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/stacks.h"

#include <utility>

#include "hlo/build/counted_loop.h"

namespace podsim::hlo::transform::formulas {

std::vector<InstructionId> empty_stacks(build::GraphBuilder& builder, const std::vector<InstructionId>& arrays,
                                        std::int64_t height) {
  std::vector<InstructionId> stacks;
  for (const InstructionId array : arrays) {
    std::vector<std::int64_t> sizes = builder.shape(array).dimensions;
    sizes.insert(sizes.begin(), height);
    stacks.push_back(builder.full(make_shape(builder.type(array), std::move(sizes)), 0));
  }
  return stacks;
}

std::vector<InstructionId> written_stacks(build::GraphBuilder& builder, const std::vector<InstructionId>& stacks,
                                          const std::vector<InstructionId>& arrays, InstructionId at) {
  std::vector<InstructionId> next;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    next.push_back(build::with_element_at(builder, stacks[i], at, arrays[i]));
  }
  return next;
}

std::vector<InstructionId> read_stacks(build::GraphBuilder& builder, const std::vector<InstructionId>& stacks,
                                       InstructionId at) {
  std::vector<InstructionId> arrays;
  for (const InstructionId stack : stacks) arrays.push_back(build::element_at(builder, stack, at));
  return arrays;
}

}  // namespace podsim::hlo::transform::formulas
