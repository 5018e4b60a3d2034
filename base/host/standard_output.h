// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::base::host {

/// Writes a complete result to stdout. A reader that closes early (`podsim describe | head -1`) is not an error.
/// InputError if the result cannot be written for another reason, such as a full disk.
void print_result(std::string_view text);

}  // namespace podsim::base::host
