// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::app {

/// All of a file that an argument names. InputError at the argument when it cannot be read.
std::string read_input(const std::string& argument, const std::string& file);

}  // namespace podsim::app
