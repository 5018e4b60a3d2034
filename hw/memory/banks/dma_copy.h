// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "hw/access_pattern.h"
#include "hw/direction.h"
#include "hw/machine.h"
#include "noc/topology.h"

namespace podsim::hw::memory::banks {

/// A port of another chip's on-chip switch, at a distance of `hops`.
struct RemotePort {
  noc::Coordinates hops{};
  int port = 0;
};

/// A port of this chip's switch. If it leads to another chip, `far` is the port there.
struct DmaPort {
  int number = 0;
  std::optional<RemotePort> far = {};
};

/// One end of a DMA transfer: a memory and the addresses of its rows.
struct DmaEnd {
  std::optional<DmaPort> port = {};        ///< of the memory; empty for a memory of the engine's core
  std::uint64_t base = 0;                  ///< byte address of the first row
  std::int64_t stride = 0;                 ///< bytes from the beginning of a row to that of the next
  std::optional<std::uint64_t> seed = {};  ///< if set, rows are scattered over `span` bytes as in AccessPattern
  base::Bytes span{};

  /// Byte address of the beginning of row r.
  std::uint64_t row_begin(std::int64_t r, base::Bytes row_bytes) const {
    return AccessPattern{base, r + 1, row_bytes, stride, seed, span}.row_begin(r);
  }
};

/// A sync flag of another core.
struct RemoteFlag {
  DmaPort port;  ///< port of the core
  std::size_t flag = 0;
};

/// A two-dimensional copy of `rows` rows of `row_bytes` bytes from one memory to another.
struct DmaCopy {
  DmaEnd source, destination;
  std::int64_t rows = 1;
  base::Bytes row_bytes;
  std::optional<RemoteFlag> flag = {};  ///< incremented when all data have arrived

  base::Bytes bytes() const { return row_bytes * rows; }
};

/// A part of a transfer that is contiguous at both ends, moved by one memory request. Addresses are in bytes.
struct Granule {
  std::uint64_t source = 0, destination = 0;
  base::Bytes bytes;
  bool operator==(const Granule&) const = default;
};

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
