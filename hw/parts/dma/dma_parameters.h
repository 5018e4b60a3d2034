// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::dma {

struct Parameters {              ///< [dma]
  base::Cycles read_latency;     ///< descriptor issue to first byte's effect, HBM -> VMEM
  base::Cycles write_latency;    ///< VMEM -> HBM
  base::Cycles issue_interval;   ///< between two descriptors
  std::int64_t queue_depth = 0;  ///< descriptors outstanding
  std::int64_t granules = 0;     ///< granules outstanding at the memory

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::dma
