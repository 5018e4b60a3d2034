// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models {

/// "bert_large": BERT-large's pre-training, 8 sequences per core, LAMB.
WorkloadEntry bert_large_entry();

}  // namespace podsim::workloads::models
