// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/isa/bundle.h"
#include "sw/codegen/registers/block.h"
#include "sw/codegen/registers/register_allocation.h"

namespace podsim::sw::codegen::schedule {

/// Returns the bundles of scheduled code, starting at address 0, with a halt at the end.
std::vector<hw::isa::Bundle> emit_bundles(const registers::BlockList& blocks,
                                          const registers::RegisterNumbers& registers);

}  // namespace podsim::sw::codegen::schedule
