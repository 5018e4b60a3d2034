// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "hlo/text/graph/shardy_attributes.h"
#include "hlo/text/module.h"

/// Manual computations as Shardy writes them in HLO: a custom call xla.sdy.GlobalToLocalShape makes the shards, a call
/// works on them, and xla.sdy.LocalToGlobalShape makes whole arrays of its results.
namespace podsim::hlo::text::graph {

constexpr std::string_view to_local_target = "xla.sdy.GlobalToLocalShape",
                           to_global_target = "xla.sdy.LocalToGlobalShape";

/// The target of a custom call, without its quotes; empty for others.
std::string_view custom_call_target(const Module& module, const Instruction& instruction);

/// The axes along which each computation is manual, by its index. Throws stablehlo::Fault.
std::vector<AxisNames> manual_axes(const Module& module, ShardyAttributes& shardy);

}  // namespace podsim::hlo::text::graph
