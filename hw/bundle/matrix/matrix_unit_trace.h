// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "hw/bundle/matrix/array_parameters.h"
#include "hw/core_time.h"
#include "hw/isa/opcode.h"
#include "hw/trace.h"

namespace podsim::hw::bundle::matrix {

/// Waveform signals and timeline spans of a matrix unit, the same for both views:
///
///   state         "stream" while LHS rows enter. Otherwise the cause of the wait: "wait weights" if a latch heads the
///                 LHS FIFO and its tile is not in yet, "results full" if an LHS register there has no credit. With an
///                 empty LHS FIFO: "load weights", "drain" while results are in the array, or "idle"
///   lhs_fifo, weight_fifo   entries that wait at the array's input; a push counts from its cycle
///   result_fifo   results that can be popped
///   tile          number of the weights in use, from 1; 0 before the first latch
///   utilisation   share of the last 128 cycles in which LHS rows entered; a new value every 16 cycles
///
/// The timeline has a span for every tile that streams and for every other state except "idle".
///
/// The unit reports pushes, starts and pops, each kind in the order of its cycles. They may be ahead of the cycles that
/// have been shown. Every cycle is shown once. The trace exists only when one is written.
class MatrixUnitTrace {
 public:
  /// Returns null if no output is requested.
  static std::unique_ptr<MatrixUnitTrace> make(const ArrayParameters& array, const CoreTime& time, const Trace& trace);
  MatrixUnitTrace(const ArrayParameters& array, const CoreTime& time, const Trace& trace);
  /// Ends the open span of the timeline.
  ~MatrixUnitTrace();
  MatrixUnitTrace(const MatrixUnitTrace&) = delete;
  MatrixUnitTrace& operator=(const MatrixUnitTrace&) = delete;

  void pushed(isa::Opcode opcode, base::Cycles now);
  /// The oldest entry of the LHS FIFO without a start cycle (a register or a latch) starts in `cycle`.
  void lhs_started(base::Cycles cycle) { lhs_.start(cycle); }
  void weights_started(base::Cycles cycle) { weights_.start(cycle); }
  void popped(base::Cycles now) { pops_.push_back(now); }
  /// Shows the cycles up to `now`. All events up to then must have been reported.
  void show_until(base::Cycles now);

 private:
  struct Entry {
    isa::Opcode opcode;
    base::Cycles push, start;
  };
  /// Entries that have not started; those with a known start cycle come first.
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
  base::trace::Probe<std::string> state_;
  base::trace::Probe<std::int64_t> lhs_fifo_, weight_fifo_, result_fifo_, tile_;
  base::trace::Probe<double> utilisation_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track track_ = 0;

  base::Cycles next_;  ///< first cycle that has not been shown
  Fifo lhs_, weights_;
  std::deque<base::Cycles> ready_, pops_;             ///< future cycles in which results become ready, and are popped
  base::Cycles stream_end_, load_end_;                ///< ends of the latest LHS register and of the latest weights
  std::int64_t results_ = 0, tiles_ = 0, shift_ = 0;  ///< shift_: weight registers started of the incoming tile
  const char* shown_state_ = nullptr;
  std::int64_t span_tile_ = 0;
  base::Cycles span_begin_;
  static constexpr std::int64_t window_blocks = 8, block_cycles = 16;
  std::array<std::int64_t, window_blocks> busy_{};  ///< busy cycles in each of the latest blocks
};

}  // namespace podsim::hw::bundle::matrix
