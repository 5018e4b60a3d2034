// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Chains of elementwise operations over one or two matrices (elementwise_chain.h): every array moves between HBM and
/// VMEM once.
KernelFamily elementwise_family();

}  // namespace podsim::sw
