// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models {

/// "dlrm": MLPerf's DLRM, 128 samples per core as in the published profile of 64 cores. It comes with a sharding over
/// the cores, which splits tables of more than 8192 rows.
WorkloadEntry dlrm_entry();

}  // namespace podsim::workloads::models
