// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace podsim::hw {

/// What a pseudo-channel's data pins did in a clock.
enum class BusShare : std::uint8_t {
  read,         ///< moved read data
  write,        ///< moved write data
  turnaround,   ///< waited between read and write data
  row,          ///< waited for a row to be closed and opened
  bank_group,   ///< waited for the bank group that moved data last (tCCD_L)
  refresh,      ///< waited for the end of a bank's refresh
  command_bus,  ///< waited for a command slot, which the other pseudo-channel had
  idle          ///< no request was waiting
};
constexpr std::size_t bus_share_count = 8;
std::string_view to_string(BusShare share);

/// Clocks by share. Every clock belongs to exactly one: a gap between two bursts is divided by what kept the later
/// burst from coming earlier, in the order idle, turnaround, refresh, row, bank group; what is left is command_bus.
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

}  // namespace podsim::hw
