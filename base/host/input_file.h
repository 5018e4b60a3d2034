// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base::host {

/// Reads all of a file that an argument names, decompressed if it is a gzip file. InputError at the argument if it
/// cannot be read.
std::string read_input(const std::string& argument, const std::string& file);

}  // namespace podsim::base::host
