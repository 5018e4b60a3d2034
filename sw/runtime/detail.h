// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace podsim::sw {

/// How closely cores are simulated: tile, every op on every core as a pipeline of tiles; replay, each distinct op once,
/// its duration wherever it recurs.
enum class Detail { tile, replay };

std::string to_string(Detail detail);
/// InputError with the nearest name for anything else.
Detail parse_detail(std::string_view name);

}  // namespace podsim::sw
