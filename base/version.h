// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/build_id.h"

namespace podsim::base {

/// Name and version of the program in its records; CMakeLists.txt reads the version here. Results of studies are kept
/// separately for each.
inline constexpr const char* program_version = "podsim 0.1.0";

/// The first 16 digits of the build id, which identify this build in those records.
inline std::string short_build_id() { return build_id().substr(0, 16); }

}  // namespace podsim::base
