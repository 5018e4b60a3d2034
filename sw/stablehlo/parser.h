// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sw/stablehlo/operation.h"

namespace podsim::sw::stablehlo {

/// Reads a module of MLIR text, or functions without a module around them. Throws Fault at what is not MLIR, and at
/// forms that no exporter of StableHLO prints: several blocks in a region, modules in a module.
ModuleText parse(std::string_view text);

}  // namespace podsim::sw::stablehlo
