// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::cross_lane {

struct Parameters {              ///< [cross_lane]
  base::Cycles interval;         ///< between two operations, each on a register
  base::Cycles latency;          ///< last push to first pop
  std::int64_t result_fifo = 0;  ///< registers in the unit and its output FIFO

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::cross_lane
