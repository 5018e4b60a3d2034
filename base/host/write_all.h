// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace podsim::base::host {

/// Calls every one of the functions, which print or write one result each. An InputError of one, such as a full disk,
/// keeps no other from being called. In the end it throws one InputError with the diagnostics of all, if there are any.
void write_all(const std::vector<std::function<void()>>& results);

}  // namespace podsim::base::host
