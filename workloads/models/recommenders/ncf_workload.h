// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models::recommenders {

/// "ncf": MLPerf's neural collaborative filtering (ncf.h), with 12288 pairs for each core.
WorkloadEntry ncf_entry();

}  // namespace podsim::workloads::models::recommenders
