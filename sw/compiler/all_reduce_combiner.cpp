// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/all_reduce_combiner.h"

#include <algorithm>
#include <vector>

#include "sw/compiler/rebuild.h"

namespace podsim::sw {
namespace {

struct Group {
  std::vector<InstructionId> members;
  base::Bytes bytes;
};

bool same_kind(const Instruction& a, const Instruction& b) {
  return a.called == b.called && a.shape.element_type == b.shape.element_type;
}

/// For every instruction the number of all-reduces on the longest chain that leads to it; equal depth means that
/// neither depends on the other.
std::vector<int> all_reduce_depth(const Computation& computation) {
  std::vector<int> depth(computation.instructions.size(), 0);
  for (InstructionId id = 0; id < int(depth.size()); ++id) {
    const Instruction& instruction = computation[id];
    for (InstructionId operand : instruction.operands) depth[id] = std::max(depth[id], depth[operand]);
    if (instruction.opcode == Opcode::all_reduce) ++depth[id];
  }
  return depth;
}

std::vector<Group> group_all_reduces(const Computation& computation, base::Bytes threshold) {
  std::vector<int> depth = all_reduce_depth(computation);
  std::vector<Group> groups;
  for (InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
    const Instruction& instruction = computation[id];
    if (instruction.opcode != Opcode::all_reduce || instruction.shape.is_tuple()) continue;
    base::Bytes bytes = logical_bytes(instruction.shape);
    auto fits = [&](const Group& group) {
      InstructionId first = group.members.front();
      return same_kind(computation[first], instruction) && depth[first] == depth[id] &&
             group.bytes + bytes <= threshold;
    };
    auto found = std::ranges::find_if(groups, fits);
    if (found == groups.end()) found = groups.insert(groups.end(), Group{});
    found->members.push_back(id);
    found->bytes += bytes;
  }
  return groups;
}

}  // namespace

Module combine_all_reduces(Module module, base::Bytes threshold) {
  Computation& entry = module.computations[module.entry];
  std::vector<Group> groups = group_all_reduces(entry, threshold);
  for (const Group& group : groups) {
    if (group.members.size() < 2) continue;
    Instruction combined = entry[group.members.front()];
    combined.name = "all-reduce.combined." + std::to_string(group.members.front());
    combined.op_name = "gradient all-reduce";
    combined.operands.clear();
    std::vector<Shape> shapes;
    for (InstructionId member : group.members) {
      combined.operands.push_back(entry[member].operands[0]);
      shapes.push_back(entry[member].shape);
    }
    combined.shape = make_tuple_shape(std::move(shapes));
    InstructionId tuple = InstructionId(entry.instructions.size());
    entry.instructions.push_back(std::move(combined));
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      Instruction& member = entry[group.members[i]];
      member.opcode = Opcode::get_tuple_element;
      member.index = std::int64_t(i);
      member.operands = {tuple};
      member.called.clear();
    }
  }
  entry = sorted_topologically(std::move(entry));
  return module;
}

}  // namespace podsim::sw
