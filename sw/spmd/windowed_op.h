// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spmd/factor_cut.h"

/// The ops of partition_windows, each with a window in every cut of its own.
namespace podsim::sw {

/// Nothing where no window moves along a dimension that is to be cut.
std::vector<LocalValue> partition_convolution(LocalProgram& program, const OpToPartition& op);
std::vector<LocalValue> partition_reduce_window(LocalProgram& program, const OpToPartition& op);
std::vector<LocalValue> partition_select_and_scatter(LocalProgram& program, const OpToPartition& op);

}  // namespace podsim::sw
