// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/chip_cycles.h"

#include <cmath>

namespace podsim::hw::timing {

base::Cycles slowed(base::Cycles slow_cycles, double clock) {
  return clock == 1 ? slow_cycles : base::Cycles(std::int64_t(std::ceil(double(slow_cycles.value()) / clock)));
}

base::Cycles in_slow_cycles(base::Cycles cycles, double clock) {
  return clock == 1 ? cycles : base::Cycles(std::int64_t(std::ceil(double(cycles.value()) * clock)));
}

parts::hbm::Parameters at_speed(const parts::hbm::Parameters& healthy, const noc::ChipSpeed& speed) {
  parts::hbm::Parameters slow = healthy;
  slow.stream_rate = healthy.stream_rate * speed.hbm;
  slow.port_rate = healthy.port_rate * speed.clock;
  return slow;
}

Machine in_cycles_of(const Machine& healthy, const noc::ChipSpeed& speed) {
  Machine slow = healthy;
  const double ratio = speed.hbm / speed.clock;
  slow.hbm.stream_rate = healthy.hbm.stream_rate * ratio;
  slow.dram.clock = healthy.dram.clock * ratio;
  return slow;
}

}  // namespace podsim::hw::timing
