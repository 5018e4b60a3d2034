// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/target_machine.h"

namespace podsim::sw::collectives {

/// The parameters of a TPU v3 that collectives use, with the values of the machine file.
inline sw::TargetMachine tpu_v3() {
  sw::TargetMachine machine;
  machine.clock = base::Frequency(940e6);
  machine.cores_per_chip = 2;
  machine.vector = {.lanes = 128,
                    .sublanes = 8,
                    .alus = 2,
                    .loads = 1,
                    .stores = 1,
                    .transcendental_interval = base::Cycles(1),
                    .load_latency = base::Cycles(4),
                    .alu_latency = base::Cycles(2),
                    .store_to_load = base::Cycles(8),
                    .transcendental_latency = base::Cycles(4),
                    .transcendental_fifo = 8};
  machine.tile_level.vector_loop = base::Cycles(6);
  machine.dma = {.read_latency = base::Cycles(207),
                 .write_latency = base::Cycles(160),
                 .issue_interval = base::Cycles(1),
                 .queue_depth = 128};
  machine.hbm = {.capacity_per_core = base::Bytes(std::int64_t(16) << 30),
                 .reserved_per_core = {},
                 .stream_rate = base::Bandwidth(411.8e9),
                 .turnaround = 0.4};
  machine.chip_switch = {.bytes_per_cycle = 512, .crossing_latency = base::Cycles(10)};
  machine.ici = {.link_rate = base::Bandwidth(82e9),
                 .payload_fraction = 0.854,
                 .hop_latency = base::Duration(300e-9),
                 .remote_dma_latency = base::Duration(679e-9),
                 .cross_pod_latency = base::Duration(250e-9),
                 .switch_crossing = base::Cycles(10) / machine.clock};
  machine.collective_code.largest_segment = base::Bytes(64 << 20);
  machine.collective_code.launch = base::Duration(1.5e-6);
  machine.collective_code.launch_doubling = base::Duration(12.7e-6);
  machine.pod = {.dimensions = {32, 32}, .host_chips = 8, .pods = 4};
  return machine;
}

/// As tpu_v3, with cores that sum and copy in no time, so that only links and latencies remain.
inline sw::TargetMachine network_only() {
  sw::TargetMachine machine = tpu_v3();
  machine.hbm.stream_rate = base::Bandwidth(1e30);
  machine.clock = base::Frequency(1e12);
  machine.vector.lanes = std::int64_t(1) << 20;
  machine.tile_level = {};
  machine.dma.read_latency = machine.dma.write_latency = base::Cycles(0);
  machine.chip_switch = {.bytes_per_cycle = std::int64_t(1) << 40, .crossing_latency = base::Cycles(0)};
  machine.ici.switch_crossing = base::Duration(0);
  machine.cores_per_chip = 1;
  machine.collective_code.launch = machine.collective_code.launch_doubling = base::Duration(0);
  return machine;
}

}  // namespace podsim::sw::collectives
