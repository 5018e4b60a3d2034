// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hw/parts/mxu/mxu_parameters.h"
#include "hw/parts/mxu/mxu_work.h"
#include "hw/parts/vector/vector_parameters.h"

namespace podsim::hw::parts::mxu {

/// Computes the duration of a phase of matrix work, in cycles of the core clock.
///
/// A weight-stationary array of size x size cells takes one LHS row per cycle, in registers of 8 rows
/// (vector.sublanes), so rows are padded to a multiple of 8. The weights of the next tile shift in behind the current
/// ones; a tile therefore occupies the array for at least max(padded rows, weight_load) cycles. Three times are exposed
/// once per phase: the first weight load, the latency of the last row's result, and what a matrix pass needs to fetch
/// the first weights and store the last sums (tile_level.matrix_phase_cycles). With t weight tiles on a unit:
///
///   span(t, rows) = matrix_phase + weight_load + t * max(round_up(rows, 8), weight_load, feed) + first_result_latency
///
/// Only the rows of a tile that hold weights shift in (Work::depth): a tile of eight rows loads in a
/// sixteenth of weight_load.
///
/// A cell that makes p products of a type in a cycle takes p rows in a cycle, and rows and weights come p to a word:
/// weight_load and the maximum take a p-th of their cycles, rounded up. With one product, as for bf16 on TPU v3, all is
/// as above.
///
/// The load slots of the bundle read rows and weights from VMEM and are shared by all units at work. A row of an array
/// that is wider than a register takes several registers; a row of a narrower array takes a whole one:
///
///   feed = ceil(units at work * ceil((round_up(rows, 8) + size) / 8) * ceil(size / lanes) / loads)
///
/// This bound never limits two arrays of 128; it is what many arrays, or small ones, cost a core besides their cells.
///
/// Weight tiles are dealt to the units one by one, and the unit with the most decides. No work takes no time. Source:
/// one 8 x 128 register per 8 cycles, the weight load of 128 cycles and one load slot are published for TPU v3; the
/// latency is an assumption of the machine file.
class MxuTiming {
 public:
  /// `phase` is tile_level.matrix_phase_cycles; registers and loads are those of the vector unit.
  MxuTiming(const Parameters& unit, const vector::Parameters& vector, base::Cycles phase);

  /// Parts of one unit's work in a phase, in order.
  struct Span {
    base::Cycles load;    ///< the first weights are fetched and shift in
    base::Cycles stream;  ///< rows enter the array
    base::Cycles drain;   ///< the last results leave it
    base::Cycles total() const { return load + stream + drain; }
  };
  /// Number of weight tiles that unit `unit` (0-based) gets.
  std::int64_t tiles_on(std::int64_t unit, std::int64_t weight_tiles) const;
  /// Registers of rows and weights, p rows to a word, that a unit reads from VMEM for a weight tile: those in `feed`.
  std::int64_t registers(const Work& work) const;
  Span span(const Work& work, std::int64_t unit) const;
  /// The same by state (Unit::states).
  std::array<base::Cycles, 3> parts(const Work& work, std::int64_t unit) const {
    const Span of_unit = span(work, unit);
    return {of_unit.load, of_unit.stream, of_unit.drain};
  }
  /// Duration of the phase: the span of unit 0, which has the most tiles.
  base::Cycles duration(const Work& work) const { return span(work, 0).total(); }
  std::int64_t units() const { return mxu_.count; }

 private:
  Parameters mxu_;
  base::Cycles phase_;
  std::int64_t register_rows_;
  std::int64_t registers_per_row_;
  std::int64_t loads_;
};

}  // namespace podsim::hw::parts::mxu
