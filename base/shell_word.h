// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base {

/// A word as a shell reads it: in single quotes where it needs them.
std::string shell_word(const std::string& word);

}  // namespace podsim::base
