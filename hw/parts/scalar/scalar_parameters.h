// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::scalar {

struct Parameters {  ///< [scalar]
  base::Bytes smem;
  base::Cycles alu_latency;
  base::Cycles load_latency;    ///< SMEM to register
  base::Cycles branch_penalty;  ///< cycles without a bundle after a taken branch

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::scalar
