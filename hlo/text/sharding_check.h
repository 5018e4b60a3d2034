// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/text/diagnostic_list.h"
#include "hlo/text/module.h"

namespace podsim::hlo::text {

/// Reports a sharding that does not fit its instruction's shape: tiles for another number of dimensions, a list for
/// another number of arrays, or tiles for another number of devices than the header's num_partitions. Infeeds, outfeeds
/// and asynchronous pairs are not checked, since their shardings describe the data that they move.
void check_sharding(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics);

}  // namespace podsim::hlo::text
