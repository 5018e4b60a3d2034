// SPDX-License-Identifier: Apache-2.0
#include "hw/key_levels.h"

#include <algorithm>
#include <array>

#include "base/text/glob.h"

namespace podsim::hw {
namespace {

using enum KeyLevel;

struct Rule {
  const char* pattern;  ///< base/text/glob.h
  std::vector<KeyLevel> levels;
};

/// The first rule that matches counts.
const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {{"machine.name", {}},
                                        {"hbm.measured_with", {}},
                                        {"core.clock", {ops, collectives, packets, chip, kernels}},
                                        {"core.cores_per_chip", {ops, collectives, packets, chip}},
                                        {"core.vmem", {ops, kernels, limits}},
                                        {"core.*", {kernels, limits}},
                                        {"scalar.smem", {kernels, limits}},
                                        {"scalar.*", {kernels}},
                                        {"mxu.*_fifo_registers", {kernels}},
                                        {"mxu.*", {ops, kernels}},
                                        {"vector.lanes", {ops, collectives, packets, kernels, limits}},
                                        {"vector.sublanes", {ops, collectives, packets, kernels, limits}},
                                        {"vector.*latency_cycles", {kernels}},
                                        {"vector.store_to_load_cycles", {kernels}},
                                        {"vector.transcendental_fifo_registers", {kernels}},
                                        {"vector.transcendental_interval_cycles", {ops, kernels}},
                                        {"vector.*", {ops, collectives, packets, kernels}},
                                        {"cross_lane.interval_cycles", {ops, kernels}},
                                        {"cross_lane.*", {kernels}},
                                        {"dma.*_latency", {ops, collectives, packets, kernels}},
                                        {"dma.outstanding_granules", {ops, collectives, packets, banks, chip, kernels}},
                                        {"dma.*", {ops, kernels}},
                                        {"hbm.capacity_per_core", {ops, collectives, packets, banks, kernels, limits}},
                                        {"hbm.reserved_per_core", {ops, limits}},
                                        {"hbm.stream_rate", {ops, collectives, packets, kernels}},
                                        {"hbm.write_cost", {ops, kernels}},
                                        {"hbm.turnaround", {ops, collectives, packets, kernels}},
                                        {"hbm.*", {ops, collectives, packets, banks, chip, kernels}},
                                        {"hbm_timing.*", {ops, collectives, packets, banks, chip, kernels}},
                                        {"switch.queue_packets", {chip}},
                                        {"switch.bytes_per_cycle", {ops, collectives, packets, chip, kernels}},
                                        {"switch.*", {collectives, packets, chip}},
                                        {"ici.link_rate", {collectives, packets}},
                                        {"ici.payload_fraction", {collectives, packets}},
                                        {"ici.hop_latency", {collectives, packets}},
                                        {"ici.remote_dma_latency", {collectives, packets}},
                                        {"ici.cross_pod_latency", {collectives, packets}},
                                        {"ici.*", {packets}},
                                        {"host.traced_*", {frameworks}},
                                        {"host.*", {ops}},
                                        {"input.*", {inputs}},
                                        {"job.loop_launch", {jobs}},
                                        {"job.outfeed*", {jobs}},
                                        {"job.storage_rate", {checkpoints}},
                                        {"job.checkpoint_beside", {checkpoints}},
                                        {"job.*", {starts}},
                                        {"compiler.least_segment", {collectives, packets}},
                                        {"compiler.largest_segment", {collectives, packets}},
                                        {"compiler.collective_launch", {collectives, packets}},
                                        {"compiler.collective_launch_doubling", {collectives, packets}},
                                        {"compiler.combine_all_reduce", {collectives}},
                                        {"compiler.*", {ops}},
                                        {"pod.host_chips", {collectives, packets, inputs, checkpoints}},
                                        {"pod.*", {ops, collectives, packets, limits}},
                                        {"tile_level.vector_loop_cycles", {ops, collectives, packets, kernels}},
                                        {"tile_level.*", {ops, kernels}}};
  return all;
}

}  // namespace

std::string name_of(KeyLevel level) {
  static const std::array<const char*, 12> names{"ops",    "collectives", "packets",    "banks",
                                                 "chip",   "kernels",     "inputs",     "jobs",
                                                 "starts", "checkpoints", "frameworks", "limits"};
  return names[std::size_t(level)];
}

std::string to_string(KeyLevel level) {
  switch (level) {
    case ops:
      return "ops (podsim run, podsim ops)";
    case collectives:
      return "collectives (podsim run, podsim collective)";
    case packets:
      return "packets (podsim collective --network packet)";
    case banks:
      return "banks of the memory (podsim memory, podsim run --memory bank)";
    case chip:
      return "the parts of a chip (podsim memory --through switch, podsim run --detail chip)";
    case kernels:
      return "bundles (podsim kernel)";
    case inputs:
      return "hosts that feed (podsim run --input on, podsim run --loop, podsim train)";
    case jobs:
      return "loops of steps (podsim run --loop, podsim train)";
    case starts:
      return "the start of a job (podsim train)";
    case checkpoints:
      return "checkpoints (podsim run --loop with checkpoint=N, podsim train --checkpoint and --restore)";
    case frameworks:
      return "measured networks of a framework (podsim validate)";
    case limits:
      break;
  }
  return "limits (what goes beyond it is refused)";
}

const std::vector<KeyLevel>& levels_of(std::string_view key) {
  static const std::vector<KeyLevel> none;
  const auto rule =
      std::ranges::find_if(rules(), [&](const Rule& r) { return base::text::glob_match(r.pattern, key); });
  return rule == rules().end() ? none : rule->levels;
}

std::string acts_elsewhere(std::string_view key, std::span<const KeyLevel> simulated) {
  const std::vector<KeyLevel>& levels = levels_of(key);
  if (levels.empty() || std::ranges::find_first_of(levels, simulated) != levels.end()) return "";
  std::string places;
  for (const KeyLevel level : levels) places += (places.empty() ? "" : ", ") + to_string(level);
  return "it acts on " + places;
}

}  // namespace podsim::hw
