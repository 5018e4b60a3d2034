// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hw/bundle/vector/vector_functions.h"

namespace podsim::hw::bundle::vector {

/// The functions of hw/bundle/vector/vector_functions.h, compiled for one instruction set of the host. All sets are
/// compiled from the same loops and give the same bits.
struct VectorKernels {
  const char* name;  ///< "plain", "avx2", "avx512"
  decltype(vector_operation)* operation;
  decltype(vector_compare)* compare;
  decltype(transcendental_operation)* transcendental;
  decltype(cross_lane_operation)* cross_lane;
};

/// Returns the kernels that this host can run: plain loops first, the fastest last.
std::span<const VectorKernels> vector_kernels();

}  // namespace podsim::hw::bundle::vector
