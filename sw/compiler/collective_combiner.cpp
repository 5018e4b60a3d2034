// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_combiner.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "sw/compiler/rebuild.h"

namespace podsim::sw {
namespace {

struct Group {
  std::vector<InstructionId> members;
  base::Bytes bytes;
  InstructionId needed_by = std::numeric_limits<InstructionId>::max();  ///< of the members the first (needed_by)
  std::vector<std::size_t> completed;  ///< groups of what the members complete: before this one, so needed by the same
  bool weights = false;                ///< all-gathers of what is made of parameters, which can be there at any time
};

bool may_combine(const Instruction& instruction) {
  const bool kind = instruction.opcode == Opcode::all_reduce || instruction.opcode == Opcode::reduce_scatter ||
                    instruction.opcode == Opcode::all_gather;
  return kind && instruction.phase == AsyncPhase::none && !instruction.shape.is_tuple();
}

/// Channels only have to differ from program to program.
bool same_participants(const Participants& a, const Participants& b) {
  return a.iota == b.iota && a.groups == b.groups && a.channel_id.has_value() == b.channel_id.has_value() &&
         a.use_global_device_ids == b.use_global_device_ids;
}

bool same_kind(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.called == b.called && a.shape.element_type == b.shape.element_type &&
         a.dimensions == b.dimensions && same_participants(a.participants, b.participants);
}

/// What a core brings or gets, whichever is more.
base::Bytes payload(const Computation& computation, const Instruction& instruction) {
  return std::max(logical_bytes(instruction.shape), logical_bytes(computation[instruction.operands[0]].shape));
}

/// Whether it matters when an instruction is executed: it takes long, or other cores wait for it.
bool is_heavy(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::dot:
    case Opcode::convolution:
    case Opcode::fusion:
    case Opcode::reduce_window:
    case Opcode::select_and_scatter:
    case Opcode::gather:
    case Opcode::scatter:
    case Opcode::sort:
    case Opcode::while_loop:
    case Opcode::conditional:
    case Opcode::call:
    case Opcode::custom_call:
    case Opcode::infeed:
    case Opcode::outfeed:
    case Opcode::all_to_all:
    case Opcode::collective_permute:
    case Opcode::collective_broadcast:
      return true;
    default:
      return may_combine(instruction) || instruction.phase != AsyncPhase::none;
  }
}

/// An all-reduce of a reduce-scatter's result, the rest of a sum: both can wait, for what needs the sum.
bool completes(const Computation& computation, const Instruction& instruction) {
  if (instruction.opcode != Opcode::all_reduce || !may_combine(instruction)) return false;
  const Instruction& sum = computation[instruction.operands[0]];
  return sum.opcode == Opcode::reduce_scatter && may_combine(sum);
}

/// For every instruction the first heavy one that needs it, directly or through light ones: until there it can wait.
std::vector<InstructionId> needed_by(const Computation& computation) {
  const InstructionId count = InstructionId(computation.instructions.size());
  std::vector<InstructionId> first(std::size_t(count), count);
  for (InstructionId id = count; id-- > 0;) {
    const bool waits = !is_heavy(computation[id]) || completes(computation, computation[id]);
    const InstructionId need = waits ? first[std::size_t(id)] : id;
    for (const InstructionId operand : computation[id].operands) {
      first[std::size_t(operand)] = std::min(first[std::size_t(operand)], need);
    }
  }
  return first;
}

/// Marks parameters and what is computed from one of them alone: its elements, or some of them, in any order and type.
std::vector<bool> made_of_a_parameter(const Computation& computation) {
  std::vector<bool> marks(computation.instructions.size(), false);
  for (InstructionId id = 0; id < InstructionId(marks.size()); ++id) {
    const Instruction& instruction = computation[id];
    const auto marked = [&](InstructionId operand) { return bool(marks[std::size_t(operand)]); };
    switch (instruction.opcode) {
      case Opcode::parameter:
        marks[std::size_t(id)] = true;
        break;
      case Opcode::get_tuple_element:
      case Opcode::convert:
      case Opcode::reshape:
      case Opcode::slice:
      case Opcode::transpose:
        marks[std::size_t(id)] = marked(instruction.operands[0]);
        break;
      default:
        break;
    }
  }
  return marks;
}

std::vector<Group> group_collectives(const Computation& computation, base::Bytes threshold) {
  const std::vector<InstructionId> needed = needed_by(computation);
  const std::vector<bool> from_parameters = made_of_a_parameter(computation);
  std::vector<Group> groups;
  std::vector<std::size_t> group_of(computation.instructions.size(), 0);
  for (InstructionId id = 0; id < InstructionId(computation.instructions.size()); ++id) {
    const Instruction& instruction = computation[id];
    if (!may_combine(instruction)) continue;
    const base::Bytes bytes = payload(computation, instruction);
    const bool weights =
        instruction.opcode == Opcode::all_gather && from_parameters[std::size_t(instruction.operands[0])];
    auto fits = [&](const Group& group) {
      return same_kind(computation[group.members.front()], instruction) && group.weights == weights &&
             group.bytes + bytes <= threshold && (weights || id < group.needed_by);
    };
    auto found = std::ranges::find_if(groups, fits);
    if (found == groups.end()) found = groups.insert(groups.end(), Group{});
    found->members.push_back(id);
    found->bytes += bytes;
    found->needed_by = std::min(found->needed_by, needed[std::size_t(id)]);
    found->weights = weights;
    group_of[std::size_t(id)] = std::size_t(found - groups.begin());
    if (completes(computation, instruction)) {
      found->completed.push_back(group_of[std::size_t(instruction.operands[0])]);
    }
    for (const std::size_t before : found->completed) {
      groups[before].needed_by = std::min(groups[before].needed_by, found->needed_by);
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.members.size() < 2; });
  return groups;
}

/// Writes the combined collective behind all instructions; the members become its elements.
void combine(Computation& computation, const Group& group) {
  Instruction combined = computation[group.members.front()];
  const std::string kind(to_string(combined.opcode));
  combined.name = fmt::format("{}.combined.{}", kind, group.members.front());
  const bool over_replicas = combined.opcode == Opcode::all_reduce && !combined.participants.channel_id;
  combined.op_name = (over_replicas ? "gradient " : "combined ") + kind;
  combined.operands.clear();
  std::vector<Shape> shapes;
  for (InstructionId member : group.members) {
    combined.operands.push_back(computation[member].operands[0]);
    shapes.push_back(computation[member].shape);
  }
  combined.shape = make_tuple_shape(std::move(shapes));
  const InstructionId tuple = InstructionId(computation.instructions.size());
  computation.instructions.push_back(std::move(combined));
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    Instruction& member = computation[group.members[i]];
    member.opcode = Opcode::get_tuple_element;
    member.index = std::int64_t(i);
    member.operands = {tuple};
    member.called.clear();
    member.dimensions.clear();
    member.participants = {};
  }
}

/// What a value is computed from, itself included, operands first; without what is `placed`, which it becomes.
void add_with_operands(const Computation& computation, InstructionId id, std::vector<bool>& placed,
                       std::vector<InstructionId>& order) {
  std::vector<InstructionId> open{id};
  while (!open.empty()) {
    const InstructionId next = open.back();
    const std::size_t before = open.size();
    for (InstructionId operand : computation[next].operands) {
      if (!placed[std::size_t(operand)]) open.push_back(operand);
    }
    if (open.size() > before) continue;
    open.pop_back();
    if (placed[std::size_t(next)]) continue;
    placed[std::size_t(next)] = true;
    order.push_back(next);
  }
}

void combine_in(Computation& computation, base::Bytes threshold) {
  const std::vector<Group> groups = group_collectives(computation, threshold);
  if (groups.empty()) return;
  const std::size_t count = computation.instructions.size();
  std::vector<std::vector<InstructionId>> before(count);  ///< by position: combined ones
  for (const Group& group : groups) {
    before[std::size_t(group.weights ? group.members.front() : group.members.back())].push_back(
        InstructionId(computation.instructions.size()));
    combine(computation, group);
  }
  std::vector<bool> placed(computation.instructions.size(), false);
  std::vector<InstructionId> order;
  for (InstructionId id = 0; id < InstructionId(count); ++id) {
    for (InstructionId combined : before[std::size_t(id)]) {
      if (computation[combined].opcode == Opcode::all_gather) {
        add_with_operands(computation, combined, placed, order);
      } else {
        order.push_back(combined);
      }
    }
    if (!placed[std::size_t(id)]) order.push_back(id);
    placed[std::size_t(id)] = true;
  }
  computation = sorted_topologically(std::move(computation), order);
}

}  // namespace

Module combine_collectives(Module module, base::Bytes threshold) {
  const std::vector<bool> executed = executed_computations(module);
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (executed[i]) combine_in(module.computations[i], threshold);
  }
  return module;
}

}  // namespace podsim::sw
