// SPDX-License-Identifier: Apache-2.0
#include "hw/stream_range.h"

#include <string>

namespace podsim::hw {

std::int64_t read_outstanding_granules(const base::Config& config) {
  constexpr const char* key = "dma.outstanding_granules";
  constexpr std::int64_t most = 65536;
  const std::int64_t value = config.integer(key);
  if (value < 1 || value > most)
    config.reject(key, std::string("'") + key + "' must be between 1 and " + std::to_string(most));
  return value;
}

}  // namespace podsim::hw
