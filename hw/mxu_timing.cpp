// SPDX-License-Identifier: Apache-2.0
#include "hw/mxu_timing.h"

#include <algorithm>

namespace podsim::hw {

MxuTiming::MxuTiming(const Machine& machine)
    : mxu_(machine.mxu), phase_(machine.tile_level.matrix_phase), register_rows_(machine.vector.sublanes) {}

std::int64_t MxuTiming::tiles_on(std::int64_t unit, std::int64_t weight_tiles) const {
  return weight_tiles / mxu_.count + (unit < weight_tiles % mxu_.count ? 1 : 0);
}

MxuTiming::Span MxuTiming::span(std::int64_t tiles, std::int64_t rows) const {
  if (tiles <= 0 || rows <= 0) return {};
  const base::Cycles tile = std::max(base::Cycles(base::round_up(rows, register_rows_)), mxu_.weight_load);
  return {phase_ + mxu_.weight_load, tile * tiles, mxu_.first_result_latency};
}

}  // namespace podsim::hw
