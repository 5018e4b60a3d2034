// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

/// Values of a machine that say something of each other: a bank's row cycle holds the time for which a row is open.
namespace podsim::base::parameters {

using Keys = std::vector<std::string>;

/// Throws an InputError for values that do not go together. It names all keys with their values, and the location is
/// that of the first that a user set, else of the first: `--set hbm_timing.rp=50` is at fault, not the file that says
/// rc.
[[noreturn]] void reject_together(const Config& config, const Keys& keys, const std::string& problem,
                                  std::string hint = "");

/// InputError unless the integer `key` is at least the sum of the integers `parts`. `why` is the reason.
void require_at_least_sum(const Config& config, const std::string& key, const Keys& parts, const std::string& why);

}  // namespace podsim::base::parameters
