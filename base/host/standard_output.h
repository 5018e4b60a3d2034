// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::base::host {

/// Writes a complete result to stdout. A reader that closes early (`podsim describe | head -1`) is not an error.
/// InputError if the result cannot be written for another reason, such as a full disk.
/// At a terminal the text is made printable (base/text/utf8.h); files and pipes get its bytes as they are.
void print_result(std::string_view text);

/// Writes "warning: " and the printable text as a line to stderr.
void print_warning(std::string_view text);

}  // namespace podsim::base::host
