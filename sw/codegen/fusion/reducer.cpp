// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/reducer.h"

#include <algorithm>
#include <limits>

#include "sw/codegen/fusion/no_code.h"
#include "sw/codegen/fusion/value.h"

namespace podsim::sw::codegen::fusion {

using Isa = hw::isa::Opcode;

namespace {

/// True if a computation applies its root's opcode to its two parameters.
bool is_one_operation(const hlo::Computation& combiner) {
  const hlo::Instruction& root = combiner[combiner.root];
  return combiner.parameters.size() == 2 && root.operands.size() == 2 && root.operands[0] != root.operands[1] &&
         std::ranges::all_of(root.operands, [&](hlo::InstructionId operand) {
           return combiner[operand].opcode == hlo::Opcode::parameter;
         });
}

}  // namespace

Reducer reducer_of(const hlo::Module& module, const hlo::Computation& body, const hlo::Instruction& reduce) {
  const hlo::Computation& combiner = module.computations[std::size_t(reduce.called.front())];
  if (reduce.operands.size() != 2 || !is_one_operation(combiner))
    throw NoCode("reduce", "a reduction by more than one operation");
  if (body[reduce.operands[1]].opcode != hlo::Opcode::constant)
    throw NoCode("reduce", "a reduction from a computed value");
  if (held(reduce.shape.element_type) != Held::floats)
    throw NoCode("type", "a reduction of " + hlo::to_string(reduce.shape.element_type));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (combiner[combiner.root].opcode) {
    case hlo::Opcode::add:
      return {};
    case hlo::Opcode::maximum:
      return {Isa::v_max_f32, Isa::x_max_lanes, Isa::x_max_sublanes, -infinity};
    case hlo::Opcode::minimum:
      return {Isa::v_min_f32, Isa::x_min_lanes, Isa::x_min_sublanes, infinity};
    default:
      throw NoCode("reduce", "a reduction by " + std::string(hlo::to_string(combiner[combiner.root].opcode)));
  }
}

std::vector<int> kept_dimensions(const hlo::Computation& body, const hlo::Instruction& reduce) {
  std::vector<int> kept;
  for (int d = 0; d < body[reduce.operands[0]].shape.rank(); ++d) {
    if (std::ranges::find(reduce.dimensions, std::int64_t(d)) == reduce.dimensions.end()) kept.push_back(d);
  }
  return kept;
}

}  // namespace podsim::sw::codegen::fusion
