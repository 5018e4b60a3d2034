// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base::text {

/// A share of one: 0.4096 is "41.0 %".
std::string percent(double share, int decimals = 1);

}  // namespace podsim::base::text
