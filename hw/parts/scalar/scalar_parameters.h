// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::scalar {

struct Parameters {  ///< [scalar]
  base::Bytes smem;
  base::Cycles alu_latency;
  base::Cycles load_latency;          ///< SMEM to register
  base::Cycles branch_penalty;        ///< cycles without a bundle after a taken branch
  base::Cycles from_vector_latency;   ///< a word of the vector unit, push to pop
  std::int64_t from_vector_fifo = 0;  ///< words on their way and waiting to be popped

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::scalar
