// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"
#include "hw/tile_op.h"

namespace podsim::hw {

/// When the matrix units are done with a phase, in cycles of the core clock.
///
/// A weight-stationary array of size x size cells takes one LHS row per cycle, in registers of 8 rows, so rows are
/// padded to 8. The weights of the next tile shift in behind the current ones, hence a tile occupies the array for
/// max(rows padded, weight_load) cycles. The first load, the latency of the last row's result, and what a matrix pass
/// needs to fetch the first weights and to store the last sums (tile_level.matrix_phase_cycles) are exposed once per
/// phase. With t weight tiles on a unit:
///
///   span(t, rows) = matrix_phase + weight_load + t * max(round_up(rows, 8), weight_load, feed) + first_result_latency
///
/// Rows and weights are loaded from VMEM by the bundle's load slots, which all units at work share. A row of an array
/// wider than a register takes several of them, one of a narrower array a whole one:
///
///   feed = units at work * (round_up(rows, 8) + size) / 8 * ceil(size / lanes) / loads
///
/// Two arrays of 128 are never held up by it; it is what many arrays, or small ones, cost a core besides their cells.
///
/// Tiles are dealt out over the units one by one; the unit with most of them decides. No work takes no time.
/// Source: one 8 x 128 register per 8 cycles, the weight load of 128 cycles and one load slot are published of TPU v3;
/// the latency is the machine file's assumption.
class MxuTiming {
 public:
  explicit MxuTiming(const Machine& machine);

  /// What one unit does in a phase, one after the other.
  struct Span {
    base::Cycles load;    ///< the first weights are fetched and shift in
    base::Cycles stream;  ///< rows enter the array
    base::Cycles drain;   ///< the last results leave it
    base::Cycles total() const { return load + stream + drain; }
  };
  /// Weight tiles that unit `unit` (0-based) gets.
  std::int64_t tiles_on(std::int64_t unit, std::int64_t weight_tiles) const;
  Span span(const MxuWork& work, std::int64_t unit) const;
  /// The phase's duration: the span of unit 0, which has the most tiles.
  base::Cycles duration(const MxuWork& work) const { return span(work, 0).total(); }
  std::int64_t units() const { return mxu_.count; }

 private:
  MxuParameters mxu_;
  base::Cycles phase_;
  std::int64_t register_rows_;
  std::int64_t registers_per_row_;
  std::int64_t loads_;
};

}  // namespace podsim::hw
