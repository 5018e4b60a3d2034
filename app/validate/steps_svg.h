// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/measured/published/scaling_lines.h"

namespace podsim::app::validate {

/// A chart for each line with a simulated step, as one SVG file: step time against chips, simulated steps joined by a
/// line, published ones as marks, a bracket as a bar.
std::string steps_svg(const std::vector<validation::measured::published::ScalingLine>& lines);

}  // namespace podsim::app::validate
