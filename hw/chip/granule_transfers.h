// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "hw/chip/chip_transfers.h"
#include "hw/host/host_carrier.h"
#include "hw/machine.h"
#include "hw/memory/banks/bank_memory.h"

namespace podsim::hw::chip {

/// Whole transfers on a chip with banks, in granules: the mover of a core (hw/memory/banks/copy_dma.h) sends them
/// through the on-chip switch to the banks, concurrently with those of the core's op.
///
///   HBM half to VMEM           reads, by the core of the VMEM
///   VMEM to HBM half           writes, by the core of the VMEM
///   VMEM to VMEM               writes, by the sender
///   HBM half to HBM half       a read and a write of each granule, by the core of the destination
///
/// The host's data come and go by the mover of its port (hw/memory/banks/host_dma.h).
class GranuleTransfers : public host::HostCarrier {
 public:
  /// `memory` outlives this.
  GranuleTransfers(const Machine& machine, memory::banks::BankMemory& memory);
  GranuleTransfers(const GranuleTransfers&) = delete;
  GranuleTransfers& operator=(const GranuleTransfers&) = delete;

  /// Begins a transfer now, which is `now`. One without bytes ends at once.
  MoveEnd move(base::Time now, const Move& move);
  void carry(Direction direction, int core, base::Bytes bytes, base::Time begin, base::Time end,
             std::function<void()> moved) override;
  void copy(int core, base::Bytes bytes, std::function<void()> moved) override;
  /// The time that a DMA engine takes for the descriptor of a copy, in addition to the time of its granules.
  base::Time copy_latency() const { return copy_latency_; }

 private:
  struct Running : RunningMove {
    void on_end(std::function<void()> ended) override { next.push_back(std::move(ended)); }
    std::vector<std::function<void()>> next;
    std::int64_t copies = 0;  ///< in progress
  };

  void begin(const Move& move, std::uint64_t tag);
  void ended(std::uint64_t tag);
  memory::banks::DmaEnd end(const CoreMemory& place, Direction direction, base::Bytes bytes);

  memory::banks::BankMemory& memory_;
  base::Time copy_latency_;
  std::deque<Running> running_;  ///< by tag
  std::vector<std::uint64_t> free_;
};

}  // namespace podsim::hw::chip
