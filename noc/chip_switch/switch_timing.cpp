// SPDX-License-Identifier: Apache-2.0
#include "noc/chip_switch/switch_timing.h"

#include <algorithm>

namespace podsim::noc::chip_switch {

SwitchTiming::SwitchTiming(const ici::SwitchParameters& parameters, base::Frequency clock, int ports)
    : parameters_(parameters),
      clock_(clock),
      sending_free_at_(std::size_t(ports)),
      receiving_free_at_(std::size_t(ports)) {}

SwitchPassage SwitchTiming::pass(base::Time now, int source, int destination, base::Bytes bytes) {
  base::Time start = std::max({now, sending_free_at_[source], receiving_free_at_[destination]});
  base::Time free = start + occupancy(bytes);
  sending_free_at_[source] = receiving_free_at_[destination] = free;
  return {.start = start, .ports_free = free, .arrival = free + crossing_latency()};
}

base::Time SwitchTiming::occupancy(base::Bytes bytes) const {
  return clock_.time_of(base::Cycles(base::divide_round_up(bytes.value(), parameters_.bytes_per_cycle)));
}

}  // namespace podsim::noc::chip_switch
