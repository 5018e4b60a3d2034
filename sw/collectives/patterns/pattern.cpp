// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/pattern.h"

namespace podsim::sw::collectives::patterns {

double Pattern::latency(const LinkCosts& costs, double message_bytes) const {
  return costs.dma_latency.si() + (reduces() ? message_bytes / costs.hbm_rate.si() : 0);
}

}  // namespace podsim::sw::collectives::patterns
