// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/separate_loops.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace podsim::sw::compiler::fuse {

bool is_array(const hlo::Shape& shape) { return shape.rank() > 0 && !shape.is_tuple(); }

std::int64_t separate_loops(const hlo::Computation& body) {
  std::vector<hlo::InstructionId> part(body.instructions.size());
  std::iota(part.begin(), part.end(), 0);
  const auto part_of = [&part](hlo::InstructionId id) {
    while (part[std::size_t(id)] != id) id = part[std::size_t(id)] = part[std::size_t(part[std::size_t(id)])];
    return id;
  };
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(part.size()); ++id) {
    if (body[id].opcode == hlo::Opcode::tuple) continue;
    for (hlo::InstructionId operand : body[id].operands) {
      const bool is_given_scalar = !is_array(body[operand].shape) && body[operand].operands.empty();
      if (!is_given_scalar) part[std::size_t(part_of(operand))] = part_of(id);
    }
  }
  std::set<hlo::InstructionId> loops;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(part.size()); ++id) {
    if (is_array(body[id].shape)) loops.insert(part_of(id));
  }
  return std::max<std::int64_t>(1, std::int64_t(loops.size()));
}

}  // namespace podsim::sw::compiler::fuse
