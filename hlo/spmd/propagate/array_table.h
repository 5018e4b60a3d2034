// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/spmd/propagate/propagation.h"

namespace podsim::hlo::spmd::propagate {

/// Index of an array among those of all executed computations.
using ArrayId = int;

/// The arrays of all values of the executed computations, tuples flattened. Arrays that must have the same sharding
/// share a representative: a while's result, its parameters and its body's root; the result of a conditional or call
/// and the roots that it calls, unless annotations split them differently: two calls of one computation may be
/// annotated apart, and the partitioner writes a body for each.
class ArrayTable {
 public:
  explicit ArrayTable(const hlo::Module& module);

  const hlo::Module& module() const { return module_; }
  bool is_executed(hlo::ComputationId computation) const { return !first_[std::size_t(computation)].empty(); }
  /// The arrays of a value are first(...), first(...) + 1, ...
  ArrayId first(hlo::ComputationId computation, hlo::InstructionId id) const {
    return first_[std::size_t(computation)][std::size_t(id)];
  }
  int count(hlo::ComputationId computation, hlo::InstructionId id) const;
  int size() const { return int(locations_.size()); }

  struct Location {
    hlo::ComputationId computation;
    hlo::InstructionId id;
    int array;
    const hlo::Shape* shape;
  };
  const Location& location(ArrayId array) const { return locations_[std::size_t(array)]; }
  /// What the program says of the array itself; null if that is nothing.
  const hlo::Sharding* annotation(ArrayId array) const;
  /// The array that represents all those with the same sharding as this one.
  ArrayId representative(ArrayId array) const { return representatives_[std::size_t(array)]; }

  /// Calls visit(computation, id) once for every instruction of the executed computations. The operands of a caller
  /// come before the bodies that it calls, and the bodies before the caller. Calls enter(computation, id) for a caller
  /// before its bodies.
  template <class Enter, class Visit>
  void walk(Enter&& enter, Visit&& visit) const;

  /// True if an instruction passes values to computations and returns their results: a while, a conditional or a call
  /// that is not part of an asynchronous pair.
  static bool has_bodies(const hlo::Instruction& instruction) {
    return instruction.phase == hlo::AsyncPhase::none &&
           (instruction.opcode == hlo::Opcode::while_loop || instruction.opcode == hlo::Opcode::conditional ||
            instruction.opcode == hlo::Opcode::call);
  }

 private:
  void join_bodies(hlo::ComputationId computation, hlo::InstructionId id);
  void join(hlo::ComputationId a, hlo::InstructionId x, hlo::ComputationId b, hlo::InstructionId y);
  bool is_annotated_apart(ArrayId one, ArrayId other) const;
  ArrayId find(ArrayId array);

  const hlo::Module& module_;
  std::vector<std::vector<ArrayId>> first_;  ///< [computation][instruction], with one entry beyond the last instruction
  std::vector<Location> locations_;
  std::vector<ArrayId> representatives_;
  std::vector<const hlo::Sharding*> annotations_;  ///< of those that a representative stands for; null: none
};

template <class Enter, class Visit>
void ArrayTable::walk(Enter&& enter, Visit&& visit) const {
  struct Position {
    hlo::ComputationId computation;
    hlo::InstructionId id;
    std::size_t body;
  };
  std::vector<bool> seen(module_.computations.size(), false);
  std::vector<Position> stack{{module_.entry, 0, 0}};
  seen[std::size_t(module_.entry)] = true;
  while (!stack.empty()) {
    Position& at = stack.back();
    const hlo::Computation& computation = module_.computations[std::size_t(at.computation)];
    if (at.id == int(computation.instructions.size())) {
      stack.pop_back();
      continue;
    }
    const hlo::Instruction& instruction = computation[at.id];
    const bool has_more = has_bodies(instruction) && at.body < instruction.called.size();
    if (has_bodies(instruction) && at.body == 0) enter(at.computation, at.id);
    if (!has_more) {
      visit(at.computation, at.id++);
      at.body = 0;
      continue;
    }
    const hlo::ComputationId called = instruction.called[at.body++];
    if (seen[std::size_t(called)]) continue;
    seen[std::size_t(called)] = true;
    stack.push_back({called, 0, 0});
  }
}

}  // namespace podsim::hlo::spmd::propagate
