// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace podsim::hw::memory::dram {

/// Use of a pseudo-channel's data pins in one clock.
enum class BusShare : std::uint8_t {
  read,         ///< moved read data
  write,        ///< moved write data
  turnaround,   ///< waited between read and write data
  row,          ///< waited for a row to be closed and opened
  bank_group,   ///< waited for the bank group that moved data last (tCCD_L)
  refresh,      ///< waited for the end of a bank's refresh
  command_bus,  ///< waited for a command slot that another pseudo-channel used
  idle          ///< no request was waiting
};
constexpr std::size_t bus_share_count = 8;
std::string_view to_string(BusShare share);

/// Clocks by share. Every clock counts for exactly one share. The gap between two bursts is divided among the reasons
/// that delayed the later burst, in the order idle, turnaround, refresh, row, bank group; the rest is command_bus.
struct BusShares {
  std::array<base::Cycles, bus_share_count> clocks{};

  base::Cycles of(BusShare share) const { return clocks[std::size_t(share)]; }
  base::Cycles& of(BusShare share) { return clocks[std::size_t(share)]; }
  base::Cycles total() const {
    base::Cycles sum;
    for (const base::Cycles part : clocks) sum += part;
    return sum;
  }
  BusShares& operator+=(const BusShares& other) {
    for (std::size_t i = 0; i < bus_share_count; ++i) clocks[i] += other.clocks[i];
    return *this;
  }
};

}  // namespace podsim::hw::memory::dram
