// SPDX-License-Identifier: Apache-2.0
#include "hlo/device_groups.h"

#include <stdexcept>

#include <fmt/format.h>

#include "hlo/iota_devices.h"

namespace podsim::hlo {
namespace {

/// Conversion of a collective's ids to devices: id i of copy c is device c * copy_step + i * id_step.
struct Numbering {
  std::int64_t ids, copies, id_step, copy_step;
};

Numbering numbering(const Participants& participants, std::int64_t replicas, std::int64_t partitions) {
  if (participants.use_global_device_ids) return {replicas * partitions, 1, 1, 0};
  if (participants.channel_id) return {partitions, replicas, 1, partitions};
  return {replicas, partitions, partitions, 1};
}

void check(std::int64_t id, const Numbering& numbers) {
  if (id < 0 || id >= numbers.ids) {
    throw std::logic_error(fmt::format("names device {}, but there are only {}", id, numbers.ids));
  }
}

}  // namespace

std::vector<std::vector<std::int64_t>> expand(const IotaGroups& groups) {
  const std::vector<std::int64_t> devices = expand_iota(groups.iota, groups.permutation);
  std::vector<std::vector<std::int64_t>> lists;
  for (auto next = devices.begin(); next != devices.end(); next += groups.size) {
    lists.emplace_back(next, next + groups.size);
  }
  return lists;
}

std::vector<std::vector<std::int64_t>> device_groups(const Instruction& instruction, std::int64_t replicas,
                                                     std::int64_t partitions) {
  const Numbering numbers = numbering(instruction.participants, replicas, partitions);
  const Participants& participants = instruction.participants;
  std::vector<std::vector<std::int64_t>> written = participants.iota ? expand(*participants.iota) : participants.groups;
  if (written.empty()) {
    written.emplace_back();
    for (std::int64_t id = 0; id < numbers.ids; ++id) written.back().push_back(id);
  }
  std::vector<bool> seen(std::size_t(numbers.ids), false);
  for (const auto& group : written) {
    for (const std::int64_t id : group) {
      check(id, numbers);
      if (seen[std::size_t(id)]) throw std::logic_error(fmt::format("names device {} twice", id));
      seen[std::size_t(id)] = true;
    }
  }
  std::vector<std::vector<std::int64_t>> groups;
  for (std::int64_t copy = 0; copy < numbers.copies; ++copy) {
    for (const auto& group : written) {
      groups.emplace_back();
      for (const std::int64_t id : group) groups.back().push_back(copy * numbers.copy_step + id * numbers.id_step);
    }
  }
  return groups;
}

std::vector<std::pair<std::int64_t, std::int64_t>> device_pairs(const Instruction& instruction, std::int64_t replicas,
                                                                std::int64_t partitions) {
  const Numbering numbers = numbering(instruction.participants, replicas, partitions);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t copy = 0; copy < numbers.copies; ++copy) {
    const std::int64_t base = copy * numbers.copy_step;
    for (const auto& [source, target] : instruction.participants->source_target_pairs) {
      check(source, numbers);
      check(target, numbers);
      pairs.emplace_back(base + source * numbers.id_step, base + target * numbers.id_step);
    }
  }
  return pairs;
}

}  // namespace podsim::hlo
