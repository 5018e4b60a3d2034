// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "base/timed_queue.h"
#include "base/units.h"
#include "hw/chip/chip.h"
#include "hw/op_result.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::waits {

/// Asynchronous ops of all cores, such as copies, and collectives by formula, that run concurrently with what the cores
/// execute. Those of one core and queue run one after another. An op moves its data in pieces, each of which claims the
/// core's HBM (hw/chip/chip_transfers.h) when the piece before it has moved: with the HBM to itself it takes the op's
/// own duration, with concurrent transfers longer. On a chip whose transfers are granules it is one piece, since these
/// mix with others by themselves.
class BackgroundOps : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(BackgroundOps);
  /// Calls `on_finish` with the core's index and the execution id when an op has ended.
  using OnFinish = std::function<void(std::size_t core, std::uint64_t execution)>;
  /// Cores are numbered chip by chip. `chips` outlive it.
  BackgroundOps(sc_core::sc_module_name name, const TargetMachine& machine, const std::vector<hw::chip::Chip*>& chips,
                OnFinish on_finish);

  enum class Queue : std::uint8_t { ops, collectives };
  /// Starts an op now, or when those that the core started before in this queue have ended. `cost` is that of the op
  /// alone.
  void start(std::size_t core, std::uint64_t execution, const hw::OpResult& cost, Queue queue = Queue::ops);

 private:
  struct Op {
    std::uint64_t execution = 0;
    hw::OpResult cost;
    base::Bytes read, written;  ///< contiguous bytes that take the op's time of the HBM
    std::int64_t pieces = 1, moved = 0;
    base::Cycles begin;
  };

  void work();
  void begin_first(std::size_t waiting);
  void move_piece(std::size_t waiting);
  void wake_up();

  base::Clock clock_;
  double bytes_per_cycle_;  ///< of a contiguous stream
  double turnaround_;
  std::size_t cores_per_chip_;
  sc_core::sc_vector<sc_core::sc_port<hw::chip::ChipTransfers>> chips_;
  std::vector<std::deque<Op>> waiting_;   ///< by core, and of a core by queue; the first op runs
  base::TimedQueue<std::size_t> pieces_;  ///< indices into these, by the time at which their piece has moved
  sc_core::sc_event wake_;
  OnFinish on_finish_;
};

}  // namespace podsim::sw::runtime::waits
