// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hw/direction.h"
#include "hw/machine.h"

namespace podsim::hw::memory::banks {

/// Assigns addresses in an HBM half to whole transfers, which have none: they lie end to end, those that read in the
/// lower half of its addresses and those that write in the upper one, each at a multiple of the interleave unit, and
/// begin again where the region ends.
class TransferAddresses {
 public:
  explicit TransferAddresses(const Machine& machine)
      : unit_(std::uint64_t(machine.dram.address.interleave.value())),
        region_(std::uint64_t(machine.hbm.capacity_per_core.value()) / 2 / unit_ * unit_) {}

  /// The most bytes of one transfer.
  base::Bytes most() const { return base::Bytes(std::int64_t(region_)); }
  /// The first address of the next transfer, of at most most() bytes.
  std::uint64_t next(Direction direction, base::Bytes bytes) {
    std::uint64_t& used = used_[std::size_t(direction)];
    const std::uint64_t length = (std::uint64_t(bytes.value()) + unit_ - 1) / unit_ * unit_;
    if (used + length > region_) used = 0;
    const std::uint64_t first = (direction == Direction::read ? 0 : region_) + used;
    used += length;
    return first;
  }

 private:
  std::uint64_t unit_, region_;
  std::array<std::uint64_t, 2> used_{};
};

}  // namespace podsim::hw::memory::banks
