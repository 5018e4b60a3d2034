// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "hw/bundle/array_control.h"
#include "hw/core_time.h"
#include "hw/trace.h"

namespace podsim::hw {

/// Shows what every row of an array works at, signals row000 to row127: "12 w3" is LHS row 12 since the latch of weight
/// tile 3 (numbered from 1) meeting its weights, "+w4" weights of tile 4 shifting in, "12 w3 +w4" both at once. In a
/// waveform a register is a diagonal. It exists only when someone looks.
class RowTrace {
 public:
  /// Nothing when no row is wanted.
  static std::unique_ptr<RowTrace> make(const CoreTime& time, const Trace& trace);
  RowTrace(const CoreTime& time, const Trace& trace);

  /// The state after each step of the control, cycle by cycle; may be ahead of what has been shown.
  void step(const ArrayControl& control, base::Cycles cycle);
  void show_until(base::Cycles now);

 private:
  bool active() const;
  struct Row {
    base::Probe<std::string> probe;
    ArrayWave wave;               ///< in the latest cycle
    std::int64_t tile = 0;        ///< weights in use
    std::int64_t first_row = -1;  ///< LHS row that came first after their latch
  };
  static std::string text(Row& row);
  struct Change {
    base::Cycles cycle;
    std::size_t row;
    std::string text;
  };

  const CoreTime& time_;
  std::array<Row, lanes> rows_;
  std::deque<Change> pending_;
};

}  // namespace podsim::hw
