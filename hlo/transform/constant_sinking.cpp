// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/constant_sinking.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "hlo/instruction_identity.h"

namespace podsim::hlo::transform {
namespace {

/// Constants by the element of a state that they are.
using Constants = std::map<std::int64_t, Instruction>;

bool reads_state(const Computation& computation, const Instruction& instruction) {
  return instruction.opcode == Opcode::get_tuple_element && instruction.operands[0] == computation.parameters.front();
}

/// Whether a body passes an element of its state on as it is.
bool passes_on(const Computation& body, std::int64_t element) {
  const Instruction& root = body[body.root];
  if (root.opcode != Opcode::tuple) return false;
  const Instruction& next = body[root.operands[std::size_t(element)]];
  return reads_state(body, next) && next.index == element;
}

Constants constants_of(const Computation& caller, const Instruction& loop, const Computation& body) {
  Constants found;
  const Instruction& state = caller[loop.operands[0]];
  if (state.opcode != Opcode::tuple) return found;
  for (std::size_t i = 0; i < state.operands.size(); ++i) {
    const Instruction& value = caller[state.operands[i]];
    const bool is_known = value.opcode == Opcode::constant || value.opcode == Opcode::iota;
    if (is_known && passes_on(body, std::int64_t(i))) found.emplace(std::int64_t(i), value);
  }
  return found;
}

/// Reads constants where elements of the state were read, but for the root. Returns the new ids by the old ones.
std::vector<InstructionId> sink(Computation& computation, const Constants& constants) {
  std::vector<Instruction> made;
  std::vector<InstructionId> elements, uses;  // new ids by old ones, for the root and for the others
  for (InstructionId id = 0; id < InstructionId(computation.instructions.size()); ++id) {
    Instruction instruction = computation[id];
    const std::vector<InstructionId>& ids = id == computation.root ? elements : uses;
    for (InstructionId& operand : instruction.operands) operand = ids[std::size_t(operand)];
    const bool reads = reads_state(computation, computation[id]);
    const auto constant = reads ? constants.find(instruction.index) : constants.end();
    const std::string name = instruction.name;
    made.push_back(std::move(instruction));
    elements.push_back(InstructionId(made.size()) - 1);
    if (constant != constants.end()) {
      made.push_back(constant->second);
      made.back().name = name + ".constant";
      made.back().sharding = nullptr;
    }
    uses.push_back(InstructionId(made.size()) - 1);
  }
  for (InstructionId& parameter : computation.parameters) parameter = elements[std::size_t(parameter)];
  computation.root = elements[std::size_t(computation.root)];
  computation.instructions = std::move(made);
  return elements;
}

/// The loops that run a computation, as their body or condition, with the computations that they are in.
struct Runs {
  std::vector<std::pair<ComputationId, InstructionId>> loops;
  bool by_others = false;  ///< whether other instructions call it
};

/// By computation; `place` is where a loop names it.
std::vector<Runs> runs_of(const Module& module, std::size_t place) {
  std::vector<Runs> runs(module.computations.size());
  const std::vector<bool> executed = executed_computations(module);
  for (ComputationId c = 0; c < ComputationId(module.computations.size()); ++c) {
    if (!executed[std::size_t(c)]) continue;
    const Computation& caller = module.computations[std::size_t(c)];
    for (InstructionId id = 0; id < InstructionId(caller.instructions.size()); ++id) {
      const bool is_loop = caller[id].opcode == Opcode::while_loop && caller[id].phase == AsyncPhase::none;
      for (std::size_t i = 0; i < caller[id].called.size(); ++i) {
        Runs& of = runs[std::size_t(caller[id].called[i])];
        if (is_loop && i == place) {
          of.loops.emplace_back(c, id);
        } else {
          of.by_others = true;
        }
      }
    }
  }
  return runs;
}

/// The constants that all loops of a body or condition carry.
Constants common_constants(const Module& module, const Runs& runs) {
  Constants common;
  for (std::size_t i = 0; i < runs.loops.size(); ++i) {
    const Computation& caller = module.computations[std::size_t(runs.loops[i].first)];
    const Instruction& loop = caller[runs.loops[i].second];
    Constants found = constants_of(caller, loop, module.computations[std::size_t(loop.called[1])]);
    if (i == 0) {
      common = std::move(found);
      continue;
    }
    std::erase_if(common, [&](const auto& entry) {
      const auto other = found.find(entry.first);
      return other == found.end() || !is_equal(entry.second, other->second);
    });
  }
  return common;
}

}  // namespace

void sink_constants_into_loops(Module& module) {
  std::vector<Runs> as_condition = runs_of(module, 0), as_body = runs_of(module, 1);
  // Callers are behind what they call, so that constants reach loops in loops.
  for (std::size_t c = module.computations.size(); c-- > 0;) {
    const Runs& of = as_body[c].by_others ? as_condition[c] : as_body[c];
    if (of.by_others || of.loops.empty()) continue;
    const Constants constants = common_constants(module, of);
    if (constants.empty()) continue;
    const std::vector<InstructionId> moved = sink(module.computations[c], constants);
    for (std::vector<Runs>* all : {&as_condition, &as_body}) {
      for (Runs& runs : *all) {
        for (auto& [caller, loop] : runs.loops) {
          if (std::size_t(caller) == c) loop = moved[std::size_t(loop)];
        }
      }
    }
  }
}

}  // namespace podsim::hlo::transform
