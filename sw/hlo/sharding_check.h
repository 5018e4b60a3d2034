// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/hlo/diagnostic_list.h"
#include "sw/hlo/module.h"

namespace podsim::sw::hlo {

/// Reports a sharding that is none of its instruction's shape: tiles for another number of dimensions, a list for
/// another number of arrays, or tiles for other devices than the header counts. Of infeeds, outfeeds and asynchronous
/// pairs, whose shardings are of what they move, nothing is said.
void check_sharding(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics);

}  // namespace podsim::sw::hlo
