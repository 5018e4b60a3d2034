// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::base {

/// Whether `pattern` matches all of `text`; `*` stands for any run of characters, dots included, also the empty one.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace podsim::base
