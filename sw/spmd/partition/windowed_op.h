// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spmd/partition/factor_split.h"

/// The ops of partition_windows.
namespace podsim::sw::spmd::partition {

/// Each returns an empty list if no window moves along a dimension that is split.
std::vector<reshard::LocalValue> partition_convolution(reshard::LocalProgram& program,
                                                       const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_reduce_window(reshard::LocalProgram& program,
                                                         const partition::OpToPartition& op);
std::vector<reshard::LocalValue> partition_select_and_scatter(reshard::LocalProgram& program,
                                                              const partition::OpToPartition& op);

}  // namespace podsim::sw::spmd::partition
