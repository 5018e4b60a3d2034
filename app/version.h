// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::app {

/// What the program calls itself in its records. Results of studies are kept apart by it.
inline constexpr const char* program_version = "podsim 0.1.0";

}  // namespace podsim::app
