// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::host {

struct Parameters {           ///< [host]
  base::Bandwidth pcie_rate;  ///< per direction and chip
  base::Duration pcie_latency;
  base::Bandwidth infeed_copy_rate;  ///< infeed queue -> HBM buffer by the core
  base::Duration infeed_tensor_overhead;
  std::int64_t infeed_queue_depth = 0;   ///< batches
  std::int64_t outfeed_queue_depth = 0;  ///< transfers
  base::Duration batch_interval;         ///< time in which the host prepares a batch for each core

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::host
