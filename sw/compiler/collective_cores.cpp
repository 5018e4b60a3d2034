// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_cores.h"

#include <stdexcept>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "hlo/device_groups.h"
#include "hlo/transform/partition_branch.h"

namespace podsim::sw::compiler {
namespace {

/// All fields of an instruction that its groups depend on, as a list of numbers.
std::vector<std::int64_t> key_of(const hlo::Instruction& instruction) {
  const hlo::Participants& participants = instruction.participants;
  std::vector<std::int64_t> key{instruction.opcode == hlo::Opcode::collective_permute,
                                participants.use_global_device_ids, participants.channel_id.has_value(),
                                participants.iota.has_value()};
  const auto append = [&key](const auto& list) {
    key.push_back(std::int64_t(list.size()));
    key.insert(key.end(), list.begin(), list.end());
  };
  if (participants.iota) {
    key.push_back(participants.iota->size);
    append(participants.iota->iota);
    append(participants.iota->permutation);
  }
  for (const auto& group : participants.groups) append(group);
  for (const auto& [source, target] : participants.source_target_pairs) key.insert(key.end(), {source, target});
  return key;
}

}  // namespace

const CollectiveCores::Groups& CollectiveCores::of(const hlo::Instruction& instruction) {
  const Groups*& known = known_[key_of(instruction)];
  if (known == nullptr) known = &*groups_.insert(work_out(instruction)).first;
  return *known;
}

const CollectiveCores::Groups& CollectiveCores::within(std::span<const std::int32_t> cores,
                                                       const hlo::Instruction& instruction) {
  return *groups_.insert(hlo::transform::groups_within(cores, of(instruction), instruction.name)).first;
}

CollectiveCores::Groups CollectiveCores::work_out(const hlo::Instruction& instruction) const {
  Groups groups;
  try {
    if (instruction.opcode == hlo::Opcode::collective_permute) {
      for (const auto& [source, target] : hlo::device_pairs(instruction, replicas_, partitions_)) {
        groups.push_back({std::int32_t(source), std::int32_t(target)});
      }
    } else if (instruction.participants->iota || !instruction.participants->groups.empty()) {
      for (const auto& group : hlo::device_groups(instruction, replicas_, partitions_)) {
        groups.emplace_back(group.begin(), group.end());
      }
    }
  } catch (const std::logic_error& error) {
    throw base::InputError(fmt::format("%{} {}", instruction.name, error.what()));
  }
  return groups;
}

}  // namespace podsim::sw::compiler
