// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base::text {

/// A cell of a CSV file, quoted if it contains a comma, a quote or a newline (RFC 4180); printable (utf8.h).
std::string csv_field(const std::string& cell);

}  // namespace podsim::base::text
