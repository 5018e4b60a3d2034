// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/spmd/propagation.h"

namespace podsim::sw {

/// Number of an array among those of all executed computations.
using ArrayId = int;

/// The arrays of the values of the executed computations, tuples flattened, and which of them always have one sharding:
/// a while's result, its parameters and its body's root; a conditional's or call's result and roots.
class ArrayTable {
 public:
  explicit ArrayTable(const Module& module);

  const Module& module() const { return module_; }
  bool is_executed(ComputationId computation) const { return !first_[std::size_t(computation)].empty(); }
  /// The arrays of a value are first(...), first(...) + 1, ...
  ArrayId first(ComputationId computation, InstructionId id) const {
    return first_[std::size_t(computation)][std::size_t(id)];
  }
  int count(ComputationId computation, InstructionId id) const;
  int size() const { return int(places_.size()); }

  struct Place {
    ComputationId computation;
    InstructionId id;
    int array;
    const Shape* shape;
  };
  const Place& place(ArrayId array) const { return places_[std::size_t(array)]; }
  /// The array that stands for all that agree with this one.
  ArrayId representative(ArrayId array) const { return representatives_[std::size_t(array)]; }

  /// Calls visit(computation, id) for every instruction in an order in which what a body is given comes before the
  /// body, and the body before its caller: enter(computation, id) is called of a caller before its bodies.
  template <class Enter, class Visit>
  void walk(Enter&& enter, Visit&& visit) const;

  /// Whether an instruction hands values to computations and gives their results: a while, a conditional or a call
  /// that is no part of an asynchronous pair.
  static bool has_bodies(const Instruction& instruction) {
    return instruction.phase == AsyncPhase::none &&
           (instruction.opcode == Opcode::while_loop || instruction.opcode == Opcode::conditional ||
            instruction.opcode == Opcode::call);
  }

 private:
  void join_bodies(ComputationId computation, InstructionId id);
  void join(ComputationId a, InstructionId x, ComputationId b, InstructionId y);
  ArrayId find(ArrayId array);

  const Module& module_;
  std::vector<std::vector<ArrayId>> first_;  ///< one more than there are instructions
  std::vector<Place> places_;
  std::vector<ArrayId> representatives_;
};

template <class Enter, class Visit>
void ArrayTable::walk(Enter&& enter, Visit&& visit) const {
  struct Position {
    ComputationId computation;
    InstructionId id;
    std::size_t body;
  };
  std::vector<bool> seen(module_.computations.size(), false);
  std::vector<Position> stack{{module_.entry, 0, 0}};
  seen[std::size_t(module_.entry)] = true;
  while (!stack.empty()) {
    Position& at = stack.back();
    const Computation& computation = module_.computations[std::size_t(at.computation)];
    if (at.id == int(computation.instructions.size())) {
      stack.pop_back();
      continue;
    }
    const Instruction& instruction = computation[at.id];
    const bool has_more = has_bodies(instruction) && at.body < instruction.called.size();
    if (has_bodies(instruction) && at.body == 0) enter(at.computation, at.id);
    if (!has_more) {
      visit(at.computation, at.id++);
      at.body = 0;
      continue;
    }
    const ComputationId called = instruction.called[at.body++];
    if (seen[std::size_t(called)]) continue;
    seen[std::size_t(called)] = true;
    stack.push_back({called, 0, 0});
  }
}

}  // namespace podsim::sw
