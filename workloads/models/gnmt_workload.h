// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models {

/// "gnmt": MLPerf's recurrent translation (gnmt.h), with 128 pairs of sentences for each core.
WorkloadEntry gnmt_entry();

}  // namespace podsim::workloads::models
