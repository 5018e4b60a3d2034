// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base::text {

/// Formats a share of one as a percentage: 0.4096 is "41.0 %". NaN, the share of an empty total, is "-".
std::string percent(double share, int decimals = 1);
/// Formats a relative change with its sign: 0.02 is "+2.0 %". NaN is "-".
std::string signed_percent(double change, int decimals = 1);

}  // namespace podsim::base::text
