// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::app {

/// Writes a result to stdout, all of it. A reader that has seen enough (`podsim describe | head -1`) is no error;
/// InputError when it cannot be written for another reason, such as a full disk.
void print_result(std::string_view text);

}  // namespace podsim::app
