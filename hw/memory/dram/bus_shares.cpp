// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/bus_shares.h"

namespace podsim::hw::memory::dram {

std::string_view to_string(BusShare share) {
  constexpr std::array<std::string_view, bus_share_count> names = {"read",       "write",   "turnaround",  "row",
                                                                   "bank_group", "refresh", "command_bus", "idle"};
  return names[std::size_t(share)];
}

}  // namespace podsim::hw::memory::dram
