// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models::recommenders {

/// "dlrm": MLPerf's DLRM as it ran on TPUs (dlrm_core.h), the program of a core, with 128 samples as in the published
/// profile of 64 cores.
WorkloadEntry dlrm_entry();

/// "dlrm_global": the same network with all tables in the program of the whole machine (dlrm.h). It ships with a
/// sharding over the cores, which splits tables of more than 8192 rows.
WorkloadEntry dlrm_global_entry();

}  // namespace podsim::workloads::models::recommenders
