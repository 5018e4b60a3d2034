// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/build_id.h"

namespace podsim::app {

/// What the program calls itself in its records. Results of studies are kept apart by it.
inline constexpr const char* program_version = "podsim 0.1.0";

/// 16 digits that tell this build from others in those records.
inline std::string short_build_id() { return base::build_id().substr(0, 16); }

}  // namespace podsim::app
