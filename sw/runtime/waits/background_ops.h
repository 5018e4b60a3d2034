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

/// Asynchronous ops of all cores, such as copies, that run concurrently with what the cores execute. Those of one core
/// run one after another. An op moves its data in pieces, each of which claims the core's HBM
/// (hw/chip/chip_transfers.h) when the piece before it has moved: with the HBM to itself it takes the op's own
/// duration, with concurrent transfers longer. On a chip whose transfers are granules it is one piece, since these mix
/// with others by themselves.
class BackgroundOps : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(BackgroundOps);
  /// Calls `on_finish` with the core's index and the execution id when an op has ended.
  using OnFinish = std::function<void(std::size_t core, std::uint64_t execution)>;
  /// Cores are numbered chip by chip. `chips` outlive it.
  BackgroundOps(sc_core::sc_module_name name, const TargetMachine& machine, const std::vector<hw::chip::Chip*>& chips,
                OnFinish on_finish);

  static constexpr std::int64_t max_pieces = 4096;
  /// Starts an op now, or when the ops that the core started before have ended. `cost` is that of the op alone,
  /// `most_pieces` those in which it moves its data.
  void start(std::size_t core, std::uint64_t execution, const hw::OpResult& cost,
             std::int64_t most_pieces = max_pieces);

 private:
  struct Op {
    std::uint64_t execution = 0;
    hw::OpResult cost;
    base::Bytes read, written;  ///< contiguous bytes that take the op's time of the HBM
    std::int64_t pieces = 1, moved = 0;
    base::Cycles begin;
  };

  void work();
  void begin_first(std::size_t core);
  void move_piece(std::size_t core);
  void wake_up();

  base::Clock clock_;
  double bytes_per_cycle_;  ///< of a contiguous stream
  double turnaround_;
  std::size_t cores_per_chip_;
  sc_core::sc_vector<sc_core::sc_port<hw::chip::ChipTransfers>> chips_;
  std::vector<std::deque<Op>> waiting_;   ///< by core; the first one runs
  base::TimedQueue<std::size_t> pieces_;  ///< cores, by the time at which their piece has moved
  sc_core::sc_event wake_;
  OnFinish on_finish_;
};

}  // namespace podsim::sw::runtime::waits
