// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base::text {

/// A share of one: 0.4096 is "41.0 %". A share of nothing, which is no number, is "-".
std::string percent(double share, int decimals = 1);
/// A change, as a share of one, with its sign: 0.02 is "+2.0 %"; "-" as above.
std::string signed_percent(double change, int decimals = 1);

}  // namespace podsim::base::text
