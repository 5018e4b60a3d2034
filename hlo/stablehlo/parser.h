// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hlo/stablehlo/operation.h"

namespace podsim::hlo::stablehlo {

/// Reads a module of MLIR text, or functions without a module around them. Throws Fault at what is not MLIR, and at
/// forms that no exporter of StableHLO prints: several blocks in a region, modules in a module.
ModuleText parse(std::string_view text);

}  // namespace podsim::hlo::stablehlo
