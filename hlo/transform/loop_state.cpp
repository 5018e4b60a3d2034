// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/loop_state.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "hlo/instruction_identity.h"

namespace podsim::hlo::transform {

namespace {

using Elements = std::set<std::int64_t>;

/// Marks what the instructions marked so far need.
void mark_operands(const Computation& computation, std::vector<bool>& used) {
  for (std::size_t id = used.size(); id-- > 0;) {
    if (!used[id]) continue;
    for (const InstructionId operand : computation[InstructionId(id)].operands) used[std::size_t(operand)] = true;
  }
}

bool has_effects(const Instruction& instruction) {
  return instruction.opcode != Opcode::parameter && !is_shareable(instruction.opcode);
}

/// By instruction, whether the root, a parameter or an instruction with effects needs it.
std::vector<bool> used_in(const Computation& computation) {
  std::vector<bool> used(computation.instructions.size(), false);
  used[std::size_t(computation.root)] = true;
  for (const InstructionId parameter : computation.parameters) used[std::size_t(parameter)] = true;
  for (std::size_t id = 0; id < used.size(); ++id) used[id] = used[id] || has_effects(computation[InstructionId(id)]);
  mark_operands(computation, used);
  return used;
}

/// The elements of a value that its readers take; std::nullopt if one of them reads more than an element.
std::optional<Elements> elements_read(const Computation& computation, InstructionId value) {
  if (computation.root == value) return std::nullopt;
  const std::vector<bool> used = used_in(computation);
  Elements elements;
  for (std::size_t id = 0; id < used.size(); ++id) {
    const Instruction& instruction = computation[InstructionId(id)];
    if (!used[id] || std::ranges::find(instruction.operands, value) == instruction.operands.end()) continue;
    if (instruction.opcode != Opcode::get_tuple_element) return std::nullopt;
    elements.insert(instruction.index);
  }
  return elements;
}

/// Keeps some elements of a tuple, or of a value that is one.
void keep(Instruction& tuple, const Elements& kept) {
  std::vector<Shape> shapes;
  std::vector<InstructionId> operands;
  for (const std::int64_t element : kept) {
    shapes.push_back(tuple.shape.tuple_shapes[std::size_t(element)]);
    if (tuple.opcode == Opcode::tuple) operands.push_back(tuple.operands[std::size_t(element)]);
  }
  tuple.shape.tuple_shapes = std::move(shapes);
  if (tuple.opcode == Opcode::tuple) tuple.operands = std::move(operands);
}

/// Gives the readers of a value's tuple elements the new indices of these elements.
void renumber(Computation& computation, InstructionId value, const Elements& kept) {
  for (Instruction& instruction : computation.instructions) {
    if (instruction.opcode != Opcode::get_tuple_element || instruction.operands[0] != value) continue;
    instruction.index = std::distance(kept.begin(), kept.find(instruction.index));
  }
}

/// A while loop in its computation.
class Loop {
 public:
  Loop(Module& module, Computation& caller, InstructionId id, const std::map<ComputationId, int>& callers)
      : caller_(caller),
        id_(id),
        condition_(module.computations[std::size_t(caller[id].called[0])]),
        body_(module.computations[std::size_t(caller[id].called[1])]),
        alone_(callers.at(caller[id].called[0]) == 1 && callers.at(caller[id].called[1]) == 1) {}

  void drop_unread_state() {
    const Instruction& begin = caller_[caller_[id_].operands[0]];
    const Instruction& next = body_[body_.root];
    if (!alone_ || begin.opcode != Opcode::tuple || next.opcode != Opcode::tuple || is_annotated()) return;
    if (users_of(caller_)[std::size_t(caller_[id_].operands[0])].size() != 1) return;
    const std::optional<Elements> outside = elements_read(caller_, id_);
    const std::optional<Elements> by_condition = elements_read(condition_, condition_.parameters[0]);
    if (!outside || !by_condition || !elements_read(body_, body_.parameters[0])) return;
    Elements kept = *outside;
    kept.insert(by_condition->begin(), by_condition->end());
    while (add_read(kept)) {
    }
    if (kept.size() == next.operands.size()) return;
    keep(body_[body_.root], kept);
    drop_dead(body_);
    for (Computation* called : {&body_, &condition_}) {
      renumber(*called, called->parameters[0], kept);
      keep((*called)[called->parameters[0]], kept);
    }
    renumber(caller_, id_, kept);
    keep(caller_[caller_[id_].operands[0]], kept);
    keep(caller_[id_], kept);
  }

 private:
  bool is_annotated() const {
    return caller_[id_].sharding || caller_[caller_[id_].operands[0]].sharding || body_[body_.root].sharding ||
           body_[body_.parameters[0]].sharding || condition_[condition_.parameters[0]].sharding;
  }

  /// Adds the elements that a trip reads for those that are kept. False if there are no more.
  bool add_read(Elements& kept) const {
    std::vector<bool> used(body_.instructions.size(), false);
    for (std::size_t id = 0; id < used.size(); ++id) used[id] = has_effects(body_[InstructionId(id)]);
    for (const std::int64_t element : kept) used[std::size_t(body_[body_.root].operands[std::size_t(element)])] = true;
    mark_operands(body_, used);
    const std::size_t before = kept.size();
    for (std::size_t id = 0; id < used.size(); ++id) {
      const Instruction& instruction = body_[InstructionId(id)];
      if (used[id] && instruction.opcode == Opcode::get_tuple_element &&
          instruction.operands[0] == body_.parameters[0]) {
        kept.insert(instruction.index);
      }
    }
    return kept.size() > before;
  }

  Computation& caller_;
  InstructionId id_;
  Computation &condition_, &body_;
  bool alone_;  ///< no other instruction calls the loop's computations
};

}  // namespace

void drop_dead(Computation& computation) {
  const std::vector<bool> used = used_in(computation);
  const std::size_t size = used.size();
  std::vector<InstructionId> renumbered(size, -1);
  std::vector<Instruction> kept;
  for (std::size_t id = 0; id < size; ++id) {
    if (!used[id]) continue;
    renumbered[id] = InstructionId(kept.size());
    kept.push_back(std::move(computation[InstructionId(id)]));
    for (InstructionId& operand : kept.back().operands) operand = renumbered[std::size_t(operand)];
  }
  for (InstructionId& parameter : computation.parameters) parameter = renumbered[std::size_t(parameter)];
  computation.root = renumbered[std::size_t(computation.root)];
  computation.instructions = std::move(kept);
}

void drop_unread_loop_state(Module& module) {
  std::map<ComputationId, int> callers;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      for (const ComputationId called : instruction.called) ++callers[called];
    }
  }
  const std::vector<bool> executed = executed_computations(module);
  // Callers come after what they call; what a loop no longer passes on is dead in its body.
  for (std::size_t c = module.computations.size(); c-- > 0;) {
    Computation& computation = module.computations[c];
    if (!executed[c]) continue;
    drop_dead(computation);
    // What a loop no longer begins with is dead before it.
    for (InstructionId id = InstructionId(computation.instructions.size()); id-- > 0;) {
      if (computation[id].opcode == Opcode::while_loop && computation[id].phase == AsyncPhase::none) {
        Loop(module, computation, id, callers).drop_unread_state();
      }
    }
    drop_dead(computation);
  }
}

}  // namespace podsim::hlo::transform
