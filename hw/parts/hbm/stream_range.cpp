// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/stream_range.h"

namespace podsim::hw::parts::hbm {

base::Bytes HbmCapacity::operator()(const base::parameters::Reading& reading, const std::string& key) const {
  constexpr base::Bytes most{1LL << 50};
  const base::Bytes value = reading.config.bytes(key);
  if (value < base::Bytes(1) || value > most) {
    reading.config.reject(key, "'" + key + "' must be more than nothing and at most " + base::to_string(most));
  }
  return value;
}

}  // namespace podsim::hw::parts::hbm
