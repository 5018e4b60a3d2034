// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace podsim::sw::runtime {

/// Level of detail of cores. tile: every op on every core as a pipeline of tiles. replay: each distinct op once, and
/// its duration wherever it recurs.
enum class Detail { tile, replay };

std::string to_string(Detail detail);
/// Throws InputError with the nearest name for an unknown name.
Detail parse_detail(std::string_view name);

}  // namespace podsim::sw::runtime
