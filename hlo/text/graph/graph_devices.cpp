// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/graph_devices.h"

#include <algorithm>
#include <utility>

#include "hlo/text/attribute_value.h"
#include "hlo/text/value_list.h"

namespace podsim::hlo::text::graph {
namespace {

/// A number in the header, or 0 if it is missing.
std::int64_t stated(const Module& module, std::string_view attribute) {
  const std::string_view* value = find_value(module.attributes, attribute);
  if (value == nullptr) return 0;
  Scanner scanner(*value);
  return std::clamp<std::int64_t>(scanner.integer("a number"), 1, max_devices);
}

/// Number of devices that contains all ids named so far.
struct Named {
  std::int64_t flat = 1, partitions = 1, replicas = 1;

  static void add(std::int64_t& count, std::int64_t id) {
    if (id >= 0 && id < max_devices) count = std::max(count, id + 1);
  }
};

/// These collectives, with a channel id alone, count replicas with all their partitions; other collectives count
/// partitions.
bool runs_over_partitions_of_replicas(const hlo::Instruction& instruction) {
  const bool kind = instruction.opcode == hlo::Opcode::all_reduce || instruction.opcode == hlo::Opcode::all_gather ||
                    instruction.opcode == hlo::Opcode::reduce_scatter;
  return kind && instruction.participants->channel_id && !instruction.participants->use_global_device_ids;
}

std::int64_t last_device(const std::vector<std::int64_t>& iota) {
  std::int64_t count = 1;
  for (const std::int64_t size : iota) count *= size;
  return count - 1;
}

std::int64_t& counted_by(const hlo::Instruction& instruction, Named& named) {
  const hlo::Participants& participants = instruction.participants;
  if (participants.use_global_device_ids) return named.flat;
  const bool partitions = participants.channel_id && !runs_over_partitions_of_replicas(instruction);
  return partitions ? named.partitions : named.replicas;
}

void add_collective(const hlo::Instruction& instruction, Named& named) {
  std::int64_t& count = counted_by(instruction, named);
  if (instruction.participants->iota) Named::add(count, last_device(instruction.participants->iota->iota));
  for (const auto& group : instruction.participants->groups) {
    for (const std::int64_t id : group) Named::add(count, id);
  }
  for (const auto& [source, target] : instruction.participants->source_target_pairs) {
    Named::add(count, source);
    Named::add(count, target);
  }
}

void add_sharding(const hlo::Sharding& sharding, Named& named) {
  if (!sharding.iota.empty()) Named::add(named.partitions, last_device(sharding.iota));
  for (const std::int64_t device : sharding.devices) Named::add(named.partitions, device);
  for (const hlo::Sharding& element : sharding.elements) add_sharding(element, named);
}

Named named_devices(const hlo::Module& graph) {
  Named named;
  for (const hlo::Computation& computation : graph.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      // The numbers of a send and a recv do not say how many devices there are: texts of one program have those of
      // others.
      const bool is_channel = instruction.opcode == hlo::Opcode::send || instruction.opcode == hlo::Opcode::recv;
      if (hlo::is_collective(instruction.opcode) && !is_channel) add_collective(instruction, named);
      if (instruction.sharding) add_sharding(*instruction.sharding, named);
    }
  }
  return named;
}

/// Replaces groups of replicas by groups of all their devices.
void use_flat_ids(hlo::Instruction& instruction, std::int64_t partitions) {
  hlo::Participants& participants = instruction.participants.edit();
  if (std::optional<hlo::IotaGroups>& groups = participants.iota) {
    if (!groups->permutation.empty()) groups->permutation.push_back(int(groups->iota.size()));
    groups->iota.push_back(partitions);
    groups->size *= partitions;
  }
  for (auto& group : participants.groups) {
    std::vector<std::int64_t> devices;
    for (const std::int64_t replica : group) {
      for (std::int64_t p = 0; p < partitions; ++p) devices.push_back(replica * partitions + p);
    }
    group = std::move(devices);
  }
  participants.use_global_device_ids = true;
}

}  // namespace

void number_devices(const Module& module, hlo::Module& graph) {
  graph.replicas = stated(module, "replica_count");
  graph.partitions = stated(module, "num_partitions");
  const Named named = graph.replicas > 1 && graph.partitions > 1 ? Named{} : named_devices(graph);
  if (graph.replicas <= 1) graph.replicas = named.replicas;
  if (graph.partitions <= 1) {
    graph.partitions = std::max(named.partitions, base::divide_round_up(named.flat, graph.replicas));
  }
  for (hlo::Computation& computation : graph.computations) {
    for (hlo::Instruction& instruction : computation.instructions) {
      if (runs_over_partitions_of_replicas(instruction)) use_flat_ids(instruction, graph.partitions);
    }
  }
}

}  // namespace podsim::hlo::text::graph
