// SPDX-License-Identifier: Apache-2.0
#include "base/text/percent.h"

#include <fmt/format.h>

#include <cmath>

namespace podsim::base::text {

std::string percent(double share, int decimals) {
  return std::isfinite(share) ? fmt::format("{:.{}f} %", 100 * share, decimals) : "-";
}

std::string signed_percent(double change, int decimals) {
  return std::isfinite(change) ? fmt::format("{:+.{}f} %", 100 * change, decimals) : "-";
}

}  // namespace podsim::base::text
