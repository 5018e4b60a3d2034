// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"
#include "hw/bundle/vector/row_set.h"

namespace podsim::hw::bundle::vector {

enum class VmemPort { read, write };

/// Timing of the VMEM banks: how long vector loads and stores hold them, and how DMA delays accesses.
///
/// Row r is in bank r mod 8. A bank reads one row and writes one row per cycle ("8 ports" is published, HC20; their use
/// is our assumption). The busiest bank determines the time of an access:
///
///   cycles = max over banks of distinct rows in it      (stride 1: one; stride 4: four; stride 8: eight)
///
/// The slots of a bundle issue together, so the bundle issues in the last of these cycles and stalls in the others.
/// Latencies count from the last cycle, and the next bundle never waits for the banks of this one.
///
/// DMA uses the same ports, but the core has priority. Rows that a transfer reads or writes wait in a buffer of 16 rows
/// (assumption) for a cycle in which the core does not use that port; up to eight rows pass in such a cycle. An access
/// that finds the buffer full waits one cycle, in which DMA uses the port. Rows arrive at the rate at which the HBM
/// moves the transfer at the time of the access, in 2^-16 rows per cycle and no faster than the banks. Rows beyond the
/// buffer are held back:
///
///   backlog = backlog + rate * cycles since the last access - 8 * free cycles among them      (0 to 16 rows)
class VmemPorts {
 public:
  static constexpr int banks = 8;
  static constexpr int fraction_bits = 16;
  static constexpr std::int64_t row = std::int64_t(1) << fraction_bits;
  static constexpr std::int64_t buffer = 16 * row;

  /// Cycles that the banks need for eight rows `stride` apart, and for eight of sixteen rows given as nibbles.
  static std::int64_t cycles_of_stride(std::int32_t stride);
  static std::int64_t cycles_of_shuffle(std::uint32_t nibbles);

  /// DMA traffic of a port: nothing until cycle `from`, then `rate` * 2^-16 rows per cycle, and `slower_rate` from
  /// cycle `slower`, when the HBM serves the other direction too.
  struct DmaRows {
    base::Cycles from;
    std::int64_t rate = 0;  ///< zero: no transfer in flight uses the port
    base::Cycles slower;
    std::int64_t slower_rate = 0;
  };
  void set_dma(VmemPort port, DmaRows rows);

  /// Returns true if an access of `cycles` cycles, the last of them `at`, has to wait one more cycle for DMA.
  bool delays(VmemPort port, base::Cycles at, std::int64_t cycles) const {
    const Side& side = sides_[std::size_t(port)];
    return side.dma.rate != 0 && backlog(side, at, cycles) > buffer;
  }
  /// Records an access that is performed.
  void access(VmemPort port, base::Cycles at, std::int64_t cycles) {
    Side& side = sides_[std::size_t(port)];
    if (side.dma.rate == 0) return;
    side.backlog = std::min(backlog(side, at, cycles), buffer);
    side.last = std::max(side.last, at);
  }

 private:
  struct Side {
    DmaRows dma;
    std::int64_t backlog = 0;  ///< rows that wait after cycle `last`, in units of 2^-16 rows
    base::Cycles last;         ///< the last access, or the start of the DMA's rows if that is later
  };
  static std::int64_t backlog(const Side& side, base::Cycles at, std::int64_t cycles) {
    const std::int64_t elapsed = (at - side.last).value();
    if (elapsed <= 0) return side.backlog;
    const std::int64_t free = std::max<std::int64_t>(0, elapsed - cycles);
    const std::int64_t rate = at < side.dma.slower ? side.dma.rate : side.dma.slower_rate;
    return std::max<std::int64_t>(0, side.backlog + rate * elapsed - banks * row * free);
  }

  std::array<Side, 2> sides_;
};

}  // namespace podsim::hw::bundle::vector
