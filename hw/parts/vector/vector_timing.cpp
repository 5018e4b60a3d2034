// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/vector/vector_timing.h"

#include <algorithm>

namespace podsim::hw::parts::vector {

base::Cycles VectorTiming::duration(const Work& work) const {
  const std::int64_t busiest =
      std::max({base::divide_round_up(work.loads, vector_.loads), base::divide_round_up(work.stores, vector_.stores),
                base::divide_round_up(work.alu_ops, vector_.alus),
                work.transcendentals * vector_.transcendental_interval.value()});
  return busiest == 0 ? base::Cycles(0) : base::Cycles(busiest) + loop_;
}

}  // namespace podsim::hw::parts::vector
