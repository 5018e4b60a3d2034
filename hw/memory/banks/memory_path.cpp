// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/memory_path.h"

#include <vector>

#include "hw/memory/dram/channel_controller.h"
#include "noc/chip_switch/packet_switch.h"

namespace podsim::hw::memory::banks {

namespace {

/// Latency of a granule that arrives at clock `arrival`.
base::Cycles bank_latency(dram::ChannelController& channel, base::Cycles arrival, const dram::MemoryRequest& request) {
  std::vector<dram::MemoryCompletion> completed;
  channel.advance(arrival, completed);
  channel.submit(request);
  while (completed.empty()) channel.advance(*channel.next_completion(), completed);
  return completed.front().clock - arrival;
}

}  // namespace

base::Cycles mean_bank_latency(const parts::hbm::DramParameters& parameters, Direction direction) {
  dram::ChannelController channel(parameters);
  const dram::MemoryRequest request{direction, 0, parameters.address.interleave, 0};
  if (parameters.policy.refresh == parts::hbm::RefreshPolicy::none)
    return bank_latency(channel, base::Cycles(0), request);
  constexpr std::int64_t arrivals = 128;
  // Arrivals are two periods apart, so all banks have been refreshed and closed since the one before.
  const base::Cycles period = parameters.timing.refi;
  base::Cycles sum;
  for (std::int64_t i = 0; i < arrivals; ++i) {
    sum += bank_latency(channel, 2 * i * period + i * period / arrivals, request);
  }
  return base::Cycles(base::divide_round_up(sum.value(), arrivals));
}

MemoryPath::MemoryPath(const Machine& machine) {
  const noc::chip_switch::PacketSwitch<int> chip_switch(machine.chip_switch, 1);
  const base::Cycles there_and_back = chip_switch.occupancy(base::Bytes(0)) +
                                      chip_switch.occupancy(machine.dram.address.interleave) +
                                      2 * machine.chip_switch.crossing_latency;
  const auto bank = [&](Direction direction) {
    return machine.core_clock().cycles_covering(mean_bank_latency(machine.dram, direction) / machine.dram.clock);
  };
  read_ = there_and_back + bank(Direction::read);
  write_ = there_and_back + bank(Direction::write);
}

}  // namespace podsim::hw::memory::banks
