// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/spmd/partition/factor_split.h"

/// Windows split along spatial dimensions, by exchange of halos.
namespace podsim::hlo::spmd::partition {

/// Each returns an empty list if no window moves along a dimension that is split.
std::vector<reshard::LocalValue> partition_convolution(reshard::LocalProgram& program,
                                                       const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_reduce_window(reshard::LocalProgram& program,
                                                         const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_select_and_scatter(reshard::LocalProgram& program,
                                                              const partition::OpToPartition& op);

}  // namespace podsim::hlo::spmd::partition
