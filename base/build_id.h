// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base {

/// What tells this program's code from that of any other build, in hexadecimal digits: the build id that the linker
/// made of the program's contents, or their SHA-256 where it made none. Equal sources and tools give equal ids.
std::string build_id();

}  // namespace podsim::base
