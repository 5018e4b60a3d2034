// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"
#include "hw/bundle/row_set.h"

namespace podsim::hw {

enum class VmemPort { read, write };

/// How long vector loads and stores hold the banks of VMEM, and what DMA costs them.
///
/// Row r lies in bank r mod 8; a bank reads one row and writes one row per cycle ("8 ports" is published, HC20; their
/// use is our assumption). An access takes as many cycles as the bank in which most of its distinct rows lie:
///
///   cycles = max over banks of distinct rows in it      (stride 1: one; stride 4: four; stride 8: eight)
///
/// All units move in step, so the bundle issues with the last of these cycles and stalls in the others; latencies count
/// from there, and what follows it never waits.
///
/// DMA uses the same ports, but the core goes first: rows that a transfer brings or fetches wait in a buffer of 16 rows
/// (assumption) for a cycle in which the core leaves that side of the banks alone; eight of them pass in it. An access
/// that finds the buffer full waits for one such cycle. Rows come at the rate at which the HBM moves the transfer at
/// the time of the access, in 2^-16 row per cycle and no faster than the banks; rows beyond the buffer are held back:
///
///   backlog = backlog + rate * cycles since the last access - 8 * free cycles among them      (0 to 16 rows)
class VmemPorts {
 public:
  static constexpr int banks = 8;
  static constexpr int fraction_bits = 16;
  static constexpr std::int64_t row = std::int64_t(1) << fraction_bits;
  static constexpr std::int64_t buffer = 16 * row;

  /// Cycles that the banks need for rows `stride` apart, and for eight of sixteen rows given as nibbles.
  static std::int64_t cycles_of_stride(std::int32_t stride);
  static std::int64_t cycles_of_shuffle(std::uint32_t nibbles);

  /// What DMA moves through a port: nothing until cycle `from`, then `rate` * 2^-16 rows per cycle, and from `slower`
  /// on `slower_rate`, when the other direction has work too.
  struct DmaRows {
    base::Cycles from;
    std::int64_t rate = 0;  ///< zero: no transfer in flight uses the port
    base::Cycles slower;
    std::int64_t slower_rate = 0;
  };
  void set_dma(VmemPort port, DmaRows rows);

  /// Whether an access of `cycles`, the last of them `at`, has to wait one more.
  bool delays(VmemPort port, base::Cycles at, std::int64_t cycles) const {
    const Side& side = sides_[std::size_t(port)];
    return side.dma.rate != 0 && backlog(side, at, cycles) > buffer;
  }
  /// It is performed.
  void access(VmemPort port, base::Cycles at, std::int64_t cycles) {
    Side& side = sides_[std::size_t(port)];
    if (side.dma.rate == 0) return;
    side.backlog = std::min(backlog(side, at, cycles), buffer);
    side.last = std::max(side.last, at);
  }

 private:
  struct Side {
    DmaRows dma;
    std::int64_t backlog = 0;  ///< rows that wait after cycle `last`
    base::Cycles last;         ///< of the last access, or after which rows come, if that is later
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

}  // namespace podsim::hw
