// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "hw/bundle/matrix/array_control.h"
#include "hw/core_time.h"
#include "hw/trace.h"

namespace podsim::hw::bundle::matrix {

/// Waveform signals row000 to row127, with the work of every row of an array. "12 w3" is LHS row 12 (counted from the
/// latch of weight tile 3) multiplied by that tile's weights; "+w4" is weights of tile 4 shifting in; "12 w3 +w4" is
/// both. Tiles are numbered from 1. In a waveform a register appears as a diagonal. The trace exists only when one is
/// written.
class RowTrace {
 public:
  /// Returns null if no row is traced.
  static std::unique_ptr<RowTrace> make(const CoreTime& time, const Trace& trace);
  RowTrace(const CoreTime& time, const Trace& trace);

  /// Records the state after a step of the control. To be called for every cycle; may be ahead of the cycles shown.
  void step(const ArrayControl& control, base::Cycles cycle);
  void show_until(base::Cycles now);

 private:
  bool active() const;
  struct Row {
    base::trace::Probe<std::string> probe;
    ArrayWave wave;               ///< the wave of the latest cycle
    std::int64_t tile = 0;        ///< number of the weight tile in use
    std::int64_t first_row = -1;  ///< first LHS row after the latch of that tile
  };
  static std::string text(Row& row);
  struct Change {
    base::Cycles cycle;
    std::size_t row;
    std::string text;
  };

  const CoreTime& time_;
  std::array<Row, vector::lanes> rows_;
  std::deque<Change> pending_;
};

}  // namespace podsim::hw::bundle::matrix
