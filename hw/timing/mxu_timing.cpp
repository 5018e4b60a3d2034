// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/mxu_timing.h"

#include <algorithm>

namespace podsim::hw::timing {

MxuTiming::MxuTiming(const Machine& machine)
    : mxu_(machine.mxu),
      phase_(machine.tile_level.matrix_phase),
      register_rows_(machine.vector.sublanes),
      registers_per_row_(base::divide_round_up(machine.mxu.size, machine.vector.lanes)),
      loads_(machine.vector.loads) {}

std::int64_t MxuTiming::tiles_on(std::int64_t unit, std::int64_t weight_tiles) const {
  return weight_tiles / mxu_.count + (unit < weight_tiles % mxu_.count ? 1 : 0);
}

MxuTiming::Span MxuTiming::span(const MxuWork& work, std::int64_t unit) const {
  const std::int64_t tiles = tiles_on(unit, work.weight_tiles);
  if (tiles <= 0 || work.rows <= 0) return {};
  const std::int64_t rows = base::round_up(work.rows, register_rows_);
  const std::int64_t registers = base::divide_round_up(rows + mxu_.size, register_rows_) * registers_per_row_;
  const std::int64_t at_work = std::min(mxu_.count, work.weight_tiles);
  const base::Cycles feed(base::divide_round_up(at_work * registers, loads_));
  const base::Cycles tile = std::max({base::Cycles(rows), mxu_.weight_load, feed});
  return {phase_ + mxu_.weight_load, tile * tiles, mxu_.first_result_latency};
}

}  // namespace podsim::hw::timing
