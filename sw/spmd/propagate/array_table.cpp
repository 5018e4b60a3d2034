// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/array_table.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::spmd::propagate {

ArrayTable::ArrayTable(const ir::Module& module) : module_(module), first_(module.computations.size()) {
  const std::vector<bool> executed = ir::executed_computations(module);
  for (ir::ComputationId c = 0; c < int(executed.size()); ++c) {
    if (!executed[std::size_t(c)]) continue;
    const ir::Computation& computation = module.computations[std::size_t(c)];
    for (ir::InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      first_[std::size_t(c)].push_back(size());
      int array = 0;
      for (const ir::Shape* shape : mesh::leaf_shapes(computation[id].shape))
        locations_.push_back({c, id, array++, shape});
    }
    first_[std::size_t(c)].push_back(size());
  }
  for (ArrayId array = 0; array < size(); ++array) representatives_.push_back(array);
  for (ir::ComputationId c = 0; c < int(executed.size()); ++c) {
    if (!executed[std::size_t(c)]) continue;
    const int count = int(module.computations[std::size_t(c)].instructions.size());
    for (ir::InstructionId id = 0; id < count; ++id) join_bodies(c, id);
  }
  for (ArrayId array = 0; array < size(); ++array) representatives_[std::size_t(array)] = find(array);
}

int ArrayTable::count(ir::ComputationId computation, ir::InstructionId id) const {
  const std::vector<ArrayId>& first = first_[std::size_t(computation)];
  return first[std::size_t(id) + 1] - first[std::size_t(id)];
}

void ArrayTable::join_bodies(ir::ComputationId computation, ir::InstructionId id) {
  const ir::Instruction& instruction = module_.computations[std::size_t(computation)][id];
  if (!has_bodies(instruction)) return;
  const auto called = [&](std::size_t i) -> const ir::Computation& {
    return module_.computations[std::size_t(instruction.called[i])];
  };
  if (instruction.opcode != ir::Opcode::while_loop) {
    for (std::size_t i = 0; i < instruction.called.size(); ++i) {
      join(computation, id, instruction.called[i], called(i).root);
    }
    return;
  }
  join(computation, id, instruction.called[0], called(0).parameters.at(0));
  join(computation, id, instruction.called[1], called(1).parameters.at(0));
  join(computation, id, instruction.called[1], called(1).root);
}

void ArrayTable::join(ir::ComputationId a, ir::InstructionId x, ir::ComputationId b, ir::InstructionId y) {
  const int arrays = std::min(count(a, x), count(b, y));
  for (int i = 0; i < arrays; ++i) {
    const ArrayId one = find(first(a, x) + i), other = find(first(b, y) + i);
    if (location(one).shape->dimensions != location(other).shape->dimensions) continue;
    // The caller comes later in the module and represents the arrays of the computations that it calls.
    representatives_[std::size_t(std::min(one, other))] = std::max(one, other);
  }
}

ArrayId ArrayTable::find(ArrayId array) {
  ArrayId root = array;
  while (representatives_[std::size_t(root)] != root) root = representatives_[std::size_t(root)];
  while (array != root) array = std::exchange(representatives_[std::size_t(array)], root);
  return root;
}

}  // namespace podsim::sw::spmd::propagate
