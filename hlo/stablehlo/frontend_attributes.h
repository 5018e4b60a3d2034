// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace podsim::hlo::stablehlo {

/// The attributes of Shardy in a dictionary of frontend attributes, {xla.sdy.sharding = "..."}, as HLO writes them:
/// ", frontend_attributes={xla.sdy.sharding=\"...\"}". Empty if there are none; others say nothing that is used.
std::string frontend_attributes(std::string_view dictionary);

}  // namespace podsim::hlo::stablehlo
