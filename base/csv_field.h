// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base {

/// A cell of a CSV file: quoted when it holds a comma, a quote or a line's end (RFC 4180).
std::string csv_field(const std::string& text);

}  // namespace podsim::base
