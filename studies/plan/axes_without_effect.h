// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "studies/plan/study.h"

namespace podsim::studies::plan {

/// Warnings of keys of the machine, on axes or in the base, that change nothing at the levels at which the study's
/// command simulates.
std::vector<std::string> axes_without_effect(const Study& study);

}  // namespace podsim::studies::plan
