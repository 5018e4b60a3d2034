// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sw/target_machine.h"

namespace podsim::app::run {

/// The slice with exactly this number of cores that is closest to a square (a cube), longer along the earlier
/// dimensions: "8x4" for 64 cores of chips with two. std::nullopt if the machine can form none.
std::optional<std::string> slice_for(std::int64_t cores, const sw::TargetMachine& machine);

/// What helps a program for `cores` cores that the chosen slice does not have: the slice that has them, other chips,
/// or why there is no such slice.
std::string slice_hint(std::int64_t cores, const sw::TargetMachine& machine);

}  // namespace podsim::app::run
