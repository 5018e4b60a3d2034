// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/units.h"
#include "hw/direction.h"
#include "hw/machine.h"
#include "hw/tile_op.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::timing {

/// A core's part of a declared level of memory as two queues, reads and writes, in cycles of the core clock. A request
/// begins when it has arrived and the one before it has moved, and takes its bytes at the rate of its direction:
///
///   begin = max(arrival, end of the request before);  end = begin + bytes / rate;  completion = end, rounded up
///
/// An op bound by a level therefore takes latency + bytes / rate. Reads and writes do not disturb each other, nor what
/// other cores move (parts::level::Parameters). Left out: banks and their conflicts, the shape of rows, and the switch
/// between cores and a shared level. Nothing depends on absolute time.
class LevelStream {
 public:
  LevelStream(const parts::level::Parameters& level, base::Frequency clock);

  /// Queues a request and returns the cycle of its completion. Arrivals of a direction do not decrease.
  base::Cycles submit(Direction direction, base::Bytes bytes, base::Cycles arrival);

 private:
  /// The end of a direction's last request: whole cycles, and parts of 2^-20 cycle.
  struct End {
    base::Cycles cycle;
    std::int64_t ticks = 0;
  };
  std::array<double, 2> ticks_per_byte_;
  std::array<End, 2> ends_;
};

/// All declared levels of a core, with completions in order of time.
class LevelStreams {
 public:
  explicit LevelStreams(const Machine& machine);

  /// As HbmStream::submit(), for a transfer of the declared level of this number (hw/memory_levels.h).
  void submit(int number, Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag);
  bool idle() const { return pending_.empty(); }
  /// Cycle of the next completion. Must not be idle.
  base::Cycles next_completion() const { return pending_.front().cycle; }
  /// Appends the requests that complete until `cycle`, in order of completion.
  void advance(base::Cycles cycle, std::vector<HbmStream::Completion>& completed);

 private:
  std::vector<LevelStream> streams_;
  std::vector<HbmStream::Completion> pending_;  ///< by cycle
};

/// The cycles for which an op's data move at the declared level that is busiest, in its busier direction.
base::Cycles level_cycles(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw::timing
