// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/pattern.h"

#include <algorithm>

namespace podsim::sw::collectives::patterns {

double Pattern::message_bytes(const LinkCosts& costs, std::int32_t chunks) const {
  return costs.bytes(chunk_) * chunks / std::max({1, segments_[0], segments_[1]});
}

double Pattern::latency(const LinkCosts& costs, double message_bytes) const {
  return costs.dma_latency.si() + (reduces() ? message_bytes / costs.hbm_rate.si() : 0);
}

}  // namespace podsim::sw::collectives::patterns
