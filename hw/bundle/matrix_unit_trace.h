// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "hw/bundle/array_parameters.h"
#include "hw/core_time.h"
#include "hw/isa/opcode.h"
#include "hw/trace.h"

namespace podsim::hw {

/// Shows a matrix unit, whichever view it has:
///
///   state         "stream" while LHS rows enter; else what holds the unit up: "wait weights" when the latch at the
///   head
///                 of the LHS FIFO finds them incomplete, "results full" when the LHS register there has no credit;
///                 with nothing there, "load weights", "drain" while results are on their way down, or "idle"
///   lhs_fifo, weight_fifo   entries that wait in front of the array; a push counts from its cycle on
///   result_fifo   results that could be popped
///   tile          number of the weights in use, from 1 on; 0 before the first latch
///   utilisation   share of the last 128 cycles in which LHS rows entered; a new value every 16 cycles
///
/// and on the timeline a span for every tile that streams and for every other state but "idle".
///
/// It is told of pushes, starts and pops, each kind in the order of its cycles, which may lie ahead of what has been
/// shown; it looks at every cycle once. It exists only when someone looks.
class MatrixUnitTrace {
 public:
  /// Nothing when no output is wanted.
  static std::unique_ptr<MatrixUnitTrace> make(const ArrayParameters& array, const CoreTime& time, const Trace& trace);
  MatrixUnitTrace(const ArrayParameters& array, const CoreTime& time, const Trace& trace);
  /// Ends the span that is open on the timeline.
  ~MatrixUnitTrace();
  MatrixUnitTrace(const MatrixUnitTrace&) = delete;
  MatrixUnitTrace& operator=(const MatrixUnitTrace&) = delete;

  void pushed(isa::Opcode opcode, base::Cycles now);
  /// The first entry of the LHS FIFO that had not started yet does, or is latched.
  void lhs_started(base::Cycles cycle) { lhs_.start(cycle); }
  void weights_started(base::Cycles cycle) { weights_.start(cycle); }
  void popped(base::Cycles now) { pops_.push_back(now); }
  /// Shows the cycles up to `now`, as far as it has been told of them.
  void show_until(base::Cycles now);

 private:
  struct Entry {
    isa::Opcode opcode;
    base::Cycles push, start;
  };
  /// Entries that have not left; those whose start is known come first.
  struct Fifo {
    std::deque<Entry> entries;
    std::size_t known = 0;
    void start(base::Cycles cycle) { entries[known++].start = cycle; }
    bool starts(base::Cycles cycle) const { return known > 0 && entries.front().start <= cycle; }
    Entry take();
    std::int64_t waiting(base::Cycles cycle) const;
  };
  bool active() const;
  void show(base::Cycles cycle);
  void advance(base::Cycles cycle);
  const char* state(base::Cycles cycle) const;
  void show_state(const char* state, base::Cycles cycle);
  void show_utilisation(base::Cycles cycle);
  void end_span(base::Cycles cycle);

  ArrayParameters array_;
  const CoreTime& time_;
  base::Probe<std::string> state_;
  base::Probe<std::int64_t> lhs_fifo_, weight_fifo_, result_fifo_, tile_;
  base::Probe<double> utilisation_;
  base::Timeline* timeline_;
  base::Timeline::Track track_ = 0;

  base::Cycles next_;  ///< the first cycle that has not been shown
  Fifo lhs_, weights_;
  std::deque<base::Cycles> ready_, pops_;             ///< cycles to come, of results
  base::Cycles stream_end_, load_end_;                ///< of what started last
  std::int64_t results_ = 0, tiles_ = 0, shift_ = 0;  ///< weight registers of the tile that shifts in
  const char* shown_state_ = nullptr;
  std::int64_t span_tile_ = 0;
  base::Cycles span_begin_;
  static constexpr std::int64_t window_blocks = 8, block_cycles = 16;
  std::array<std::int64_t, window_blocks> busy_{};  ///< in the latest blocks of cycles
};

}  // namespace podsim::hw
