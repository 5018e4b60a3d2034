// SPDX-License-Identifier: Apache-2.0
#include "base/text/percent.h"

#include <fmt/format.h>

namespace podsim::base::text {

std::string percent(double share, int decimals) { return fmt::format("{:.{}f} %", 100 * share, decimals); }

}  // namespace podsim::base::text
