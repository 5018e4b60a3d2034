// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/timed_queue.h"
#include "hw/direction.h"
#include "hw/memory/banks/copy_dma.h"

namespace podsim::hw::memory::banks {

/// The mover at the host's port of the on-chip switch: data of infeeds and outfeeds between PCIe and the HBM halves.
/// They pass the link in pieces of 4 KiB, the largest payload of a PCIe packet, evenly over the time that the link has
/// for them. A piece that comes in is written when it has arrived, one that goes out is read when the link takes it.
class HostDma : public CopyDma {
 public:
  SC_HAS_PROCESS(HostDma);
  HostDma(sc_core::sc_module_name name, const Machine& machine, const Trace& trace);

  /// Moves bytes between the host and the half at a port over the link's time from `begin` to `end`; a piece lies at
  /// the next of `addresses`, which outlive the transfer. Calls `moved` when the last of them has moved, not before
  /// `end`.
  void carry(Direction direction, const DmaPort& half, TransferAddresses& addresses, base::Bytes bytes,
             base::Time begin, base::Time end, std::function<void()> moved);

 private:
  struct Transfer {
    Direction direction = Direction::read;  ///< of the host's memory
    DmaPort half;
    TransferAddresses* addresses = nullptr;
    base::Bytes left_bytes;  ///< of pieces that have not begun
    std::int64_t left = 0;   ///< pieces that have not moved, and the end of the link's time
    std::function<void()> moved;
  };
  /// The time for the next piece of a transfer; or the end of the link's time.
  struct Due {
    std::size_t transfer = 0;
    bool end = false;
  };

  void begin_pieces();
  void begin_piece(const Due& due);
  void piece_moved(std::size_t transfer);

  std::vector<Transfer> transfers_;
  std::vector<std::size_t> free_;
  base::TimedQueue<Due> due_;
  sc_core::sc_event due_event_;
};

}  // namespace podsim::hw::memory::banks
