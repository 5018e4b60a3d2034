// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/staged_all_reduces.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"
#include "hlo/device_groups.h"
#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

/// All-reduces of one computation that may become one collective.
struct Alike {
  std::vector<hlo::InstructionId> members;
  base::Bytes bytes;
  base::CopyOnWrite<hlo::Participants> participants;  ///< before any of them is staged
  Groups groups;
};

/// All-reduces between partitions, of one array.
bool may_be_staged(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::all_reduce && instruction.phase == hlo::AsyncPhase::none &&
         !instruction.shape.is_tuple() && instruction.participants->channel_id.has_value();
}

Groups groups_of(const hlo::Participants& participants, std::int64_t partitions) {
  if (participants.iota) return hlo::expand(*participants.iota);
  if (!participants.groups.empty()) return participants.groups;
  Groups all(1);
  for (std::int64_t partition = 0; partition < partitions; ++partition) all.front().push_back(partition);
  return all;
}

std::vector<Alike> alike_of(const hlo::Computation& computation, std::int64_t partitions) {
  std::vector<Alike> all;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(computation.instructions.size()); ++id) {
    const hlo::Instruction& instruction = computation[id];
    if (!may_be_staged(instruction)) continue;
    auto found = std::ranges::find_if(all, [&](const Alike& of) {
      const hlo::Instruction& first = computation[of.members.front()];
      return first.shape.element_type == instruction.shape.element_type && first.called == instruction.called &&
             first.participants->use_global_device_ids == instruction.participants->use_global_device_ids &&
             first.participants->groups == instruction.participants->groups &&
             first.participants->iota == instruction.participants->iota;
    });
    if (found == all.end()) {
      found = all.insert(all.end(), Alike{.members = {},
                                          .bytes = {},
                                          .participants = instruction.participants,
                                          .groups = groups_of(*instruction.participants, partitions)});
    }
    found->members.push_back(id);
    found->bytes += hlo::logical_bytes(instruction.shape);
  }
  return all;
}

/// The groups across `parts` whose sums, summed within `parts`, are those over `whole`: the members of one group of
/// `whole` at one position of its parts. std::nullopt unless every group of `whole` is a union of at least two parts.
std::optional<Groups> groups_across(const Groups& whole, const Groups& parts) {
  const std::size_t size = parts.front().size();
  if (size >= whole.front().size()) return std::nullopt;
  std::map<std::int64_t, std::size_t> part_of;  // by its first member
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].size() != size) return std::nullopt;
    part_of[parts[i].front()] = i;
  }
  Groups across;
  for (const std::vector<std::int64_t>& group : whole) {
    std::vector<std::int64_t> sorted = group;
    std::ranges::sort(sorted);
    Groups columns(size);
    std::size_t found = 0;
    for (const std::int64_t member : sorted) {
      const auto part = part_of.find(member);
      if (part == part_of.end()) continue;
      for (std::size_t i = 0; i < size; ++i) {
        const std::int64_t of_part = parts[part->second][i];
        if (!std::ranges::binary_search(sorted, of_part)) return std::nullopt;
        columns[i].push_back(of_part);
        ++found;
      }
    }
    if (found != sorted.size()) return std::nullopt;
    across.insert(across.end(), columns.begin(), columns.end());
  }
  return across;
}

/// Appends the first stage of an all-reduce, which becomes the second, of the groups `within`.
void stage(hlo::Computation& computation, hlo::InstructionId id, const Groups& across,
           const base::CopyOnWrite<hlo::Participants>& within) {
  hlo::Instruction first = computation[id];
  first.name += ".across";
  hlo::Participants participants = *first.participants;
  participants.iota.reset();
  participants.groups = across;
  first.participants = std::move(participants);
  const auto appended = hlo::InstructionId(computation.instructions.size());
  computation.instructions.push_back(std::move(first));
  hlo::Instruction& second = computation[id];
  second.operands = {appended};
  second.participants = within;
}

void stage_in(hlo::Computation& computation, std::int64_t partitions) {
  const std::vector<Alike> all = alike_of(computation, partitions);
  bool staged = false;
  for (const Alike& whole : all) {
    for (const Alike& part : all) {
      const hlo::Instruction& one = computation[whole.members.front()];
      const hlo::Instruction& other = computation[part.members.front()];
      if (whole.bytes > part.bytes || one.shape.element_type != other.shape.element_type ||
          one.called != other.called ||
          whole.participants->use_global_device_ids != part.participants->use_global_device_ids)
        continue;
      const std::optional<Groups> across = groups_across(whole.groups, part.groups);
      if (!across) continue;
      for (const hlo::InstructionId id : whole.members) stage(computation, id, *across, part.participants);
      staged = true;
      break;
    }
  }
  if (staged) computation = in_order_of_need(std::move(computation));
}

}  // namespace

hlo::Module stage_all_reduces(hlo::Module module) {
  const std::vector<bool> executed = hlo::executed_computations(module);
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (executed[i]) stage_in(module.computations[i], module.partitions);
  }
  return module;
}

}  // namespace podsim::sw::compiler::fuse
