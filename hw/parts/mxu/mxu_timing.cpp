// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/mxu/mxu_timing.h"

#include <algorithm>

namespace podsim::hw::parts::mxu {

MxuTiming::MxuTiming(const Parameters& unit, const vector::Parameters& vector, base::Cycles phase)
    : mxu_(unit),
      phase_(phase),
      register_rows_(vector.sublanes),
      registers_per_row_(base::divide_round_up(unit.size, vector.lanes)),
      loads_(vector.loads) {}

std::int64_t MxuTiming::tiles_on(std::int64_t unit, std::int64_t weight_tiles) const {
  return weight_tiles / mxu_.count + (unit < weight_tiles % mxu_.count ? 1 : 0);
}

std::int64_t MxuTiming::registers(const Work& work) const {
  const std::int64_t rows = base::round_up(work.rows, register_rows_) + mxu_.loaded_rows(work.depth);
  return base::divide_round_up(rows, register_rows_ * mxu_.products(work.product)) * registers_per_row_;
}

MxuTiming::Span MxuTiming::span(const Work& work, std::int64_t unit) const {
  const std::int64_t tiles = tiles_on(unit, work.weight_tiles);
  if (tiles <= 0 || work.rows <= 0) return {};
  const std::int64_t products = mxu_.products(work.product);
  const base::Cycles rows(base::divide_round_up(base::round_up(work.rows, register_rows_), products));
  const base::Cycles load(base::divide_round_up(mxu_.weight_load(work.depth).value(), products));
  const std::int64_t at_work = std::min(mxu_.count, work.weight_tiles);
  const base::Cycles feed(base::divide_round_up(at_work * registers(work), loads_));
  const base::Cycles tile = std::max({rows, load, feed});
  return {phase_ + load, tile * tiles, mxu_.first_result_latency()};
}

}  // namespace podsim::hw::parts::mxu
