// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/array_table.h"

#include <algorithm>
#include <utility>

namespace podsim::hlo::spmd::propagate {

ArrayTable::ArrayTable(const hlo::Module& module) : module_(module), first_(module.computations.size()) {
  const std::vector<bool> executed = hlo::executed_computations(module);
  for (hlo::ComputationId c = 0; c < int(executed.size()); ++c) {
    if (!executed[std::size_t(c)]) continue;
    const hlo::Computation& computation = module.computations[std::size_t(c)];
    for (hlo::InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      first_[std::size_t(c)].push_back(size());
      int array = 0;
      for (const hlo::Shape* shape : mesh::leaf_shapes(computation[id].shape))
        locations_.push_back({c, id, array++, shape});
    }
    first_[std::size_t(c)].push_back(size());
  }
  for (ArrayId array = 0; array < size(); ++array) {
    representatives_.push_back(array);
    annotations_.push_back(annotation(array));
  }
  for (hlo::ComputationId c = 0; c < int(executed.size()); ++c) {
    if (!executed[std::size_t(c)]) continue;
    const int count = int(module.computations[std::size_t(c)].instructions.size());
    for (hlo::InstructionId id = 0; id < count; ++id) join_bodies(c, id);
  }
  for (ArrayId array = 0; array < size(); ++array) representatives_[std::size_t(array)] = find(array);
}

int ArrayTable::count(hlo::ComputationId computation, hlo::InstructionId id) const {
  const std::vector<ArrayId>& first = first_[std::size_t(computation)];
  return first[std::size_t(id) + 1] - first[std::size_t(id)];
}

void ArrayTable::join_bodies(hlo::ComputationId computation, hlo::InstructionId id) {
  const hlo::Instruction& instruction = module_.computations[std::size_t(computation)][id];
  if (!has_bodies(instruction)) return;
  const auto called = [&](std::size_t i) -> const hlo::Computation& {
    return module_.computations[std::size_t(instruction.called[i])];
  };
  if (instruction.opcode != hlo::Opcode::while_loop) {
    for (std::size_t i = 0; i < instruction.called.size(); ++i) {
      join(computation, id, instruction.called[i], called(i).root);
    }
    return;
  }
  join(computation, id, instruction.called[0], called(0).parameters.at(0));
  join(computation, id, instruction.called[1], called(1).parameters.at(0));
  join(computation, id, instruction.called[1], called(1).root);
}

const hlo::Sharding* ArrayTable::annotation(ArrayId array) const {
  const Location& at = location(array);
  const hlo::Instruction& instruction = module_.computations[std::size_t(at.computation)][at.id];
  const hlo::Sharding* written = instruction.sharding.get();
  if (written != nullptr && instruction.shape.is_tuple() && written->kind == hlo::Sharding::Kind::tuple) {
    written = std::size_t(at.array) < written->elements.size() ? &written->elements[std::size_t(at.array)] : nullptr;
  }
  return written == nullptr || written->kind == hlo::Sharding::Kind::unknown ? nullptr : written;
}

/// True if both stand for annotated arrays whose shardings differ. What is manual is so in callers and bodies.
bool ArrayTable::is_annotated_apart(ArrayId one, ArrayId other) const {
  const hlo::Sharding *a = annotations_[std::size_t(one)], *b = annotations_[std::size_t(other)];
  const auto is_manual = [](const hlo::Sharding& s) { return s.kind == hlo::Sharding::Kind::manual; };
  return a != nullptr && b != nullptr && !is_manual(*a) && !is_manual(*b) && !(*a == *b);
}

void ArrayTable::join(hlo::ComputationId a, hlo::InstructionId x, hlo::ComputationId b, hlo::InstructionId y) {
  const int arrays = std::min(count(a, x), count(b, y));
  for (int i = 0; i < arrays; ++i) {
    const ArrayId one = find(first(a, x) + i), other = find(first(b, y) + i);
    if (location(one).shape->dimensions != location(other).shape->dimensions) continue;
    const bool is_loop = module_.computations[std::size_t(a)][x].opcode == hlo::Opcode::while_loop;
    if (!is_loop && is_annotated_apart(one, other)) continue;
    // The caller comes later in the module and represents the arrays of the computations that it calls.
    const auto [body, caller] = std::minmax(one, other);
    representatives_[std::size_t(body)] = caller;
    if (annotations_[std::size_t(caller)] == nullptr)
      annotations_[std::size_t(caller)] = annotations_[std::size_t(body)];
  }
}

ArrayId ArrayTable::find(ArrayId array) {
  ArrayId root = array;
  while (representatives_[std::size_t(root)] != root) root = representatives_[std::size_t(root)];
  while (array != root) array = std::exchange(representatives_[std::size_t(array)], root);
  return root;
}

}  // namespace podsim::hlo::spmd::propagate
