// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace podsim::base::text {

/// A text as a basic string of TOML: in quotes, with escapes.
std::string toml_string(std::string_view text);

}  // namespace podsim::base::text
