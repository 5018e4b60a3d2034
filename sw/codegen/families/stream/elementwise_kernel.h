// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families::stream {

/// Chains of elementwise operations on one or two matrices (sw/codegen/families/stream/elementwise_chain.h). Every
/// array moves between HBM and VMEM once.
KernelFamily elementwise_family();

}  // namespace podsim::sw::codegen::families::stream
