// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_combiner.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sw/compiler/rebuild.h"

namespace podsim::sw {
namespace {

struct Group {
  std::vector<InstructionId> members;
  base::Bytes bytes;
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

/// For every instruction the number of collectives on the longest chain that leads to it; equal depth means that
/// neither depends on the other.
std::vector<int> collective_depth(const Computation& computation) {
  std::vector<int> depth(computation.instructions.size(), 0);
  for (InstructionId id = 0; id < int(depth.size()); ++id) {
    const Instruction& instruction = computation[id];
    for (InstructionId operand : instruction.operands) depth[id] = std::max(depth[id], depth[operand]);
    if (may_combine(instruction)) ++depth[id];
  }
  return depth;
}

std::vector<Group> group_collectives(const Computation& computation, base::Bytes threshold) {
  const std::vector<int> depth = collective_depth(computation);
  std::vector<Group> groups;
  for (InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
    const Instruction& instruction = computation[id];
    if (!may_combine(instruction)) continue;
    const base::Bytes bytes = payload(computation, instruction);
    auto fits = [&](const Group& group) {
      const InstructionId first = group.members.front();
      return same_kind(computation[first], instruction) && depth[first] == depth[id] &&
             group.bytes + bytes <= threshold;
    };
    auto found = std::ranges::find_if(groups, fits);
    if (found == groups.end()) found = groups.insert(groups.end(), Group{});
    found->members.push_back(id);
    found->bytes += bytes;
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

void combine_in(Computation& computation, base::Bytes threshold) {
  const std::vector<Group> groups = group_collectives(computation, threshold);
  if (groups.empty()) return;
  const InstructionId count = InstructionId(computation.instructions.size());
  std::vector<std::vector<InstructionId>> before(std::size_t(count) + 1);  ///< by position: combined ones
  for (const Group& group : groups) {
    const bool gathers = computation[group.members.front()].opcode == Opcode::all_gather;
    before[std::size_t(gathers ? group.members.front() : group.members.back())].push_back(
        InstructionId(computation.instructions.size()));
    combine(computation, group);
  }
  std::vector<InstructionId> order;
  for (InstructionId id = 0; id < count; ++id) {
    order.insert(order.end(), before[std::size_t(id)].begin(), before[std::size_t(id)].end());
    order.push_back(id);
  }
  computation = in_order_of_need(std::move(computation), order);
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
