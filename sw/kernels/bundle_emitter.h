// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/isa/bundle.h"
#include "sw/kernels/block.h"
#include "sw/kernels/register_allocation.h"

namespace podsim::sw {

/// The bundles of scheduled code from address 0 on, with a halt behind them.
std::vector<hw::isa::Bundle> emit_bundles(const BlockList& blocks, const RegisterNumbers& registers);

}  // namespace podsim::sw
