// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base {

/// Identifies this build of the program, in hexadecimal digits: the build id that the linker made of the program's
/// contents, or the SHA-256 of the contents if the linker made none. Equal sources and tools give equal ids.
std::string build_id();

}  // namespace podsim::base
