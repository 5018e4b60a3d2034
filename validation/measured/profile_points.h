// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/point.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {

/// The ops of a profile of 32 chips of TPU v3 (XProf's HLO op stats), each a point whatever its share of the time:
/// op_profiles/NAME.csv. The roofline takes XLA's counts of FLOPs and bytes.
std::vector<PointClass> profile_points(const std::string& file, std::string_view text, Silicon& silicon);

}  // namespace podsim::validation::measured
