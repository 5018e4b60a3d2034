// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/dlrm_workload.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "workloads/global_batch.h"
#include "workloads/models/dlrm.h"

namespace podsim::workloads::models {

namespace {

constexpr std::int64_t samples_per_core = 128;
/// Tables with at most this number of rows were on every core in the published profile.
constexpr std::int64_t replicated_rows = 8192;

struct DlrmKeys {
  DlrmOptions network;
  std::int64_t most_rows = 40'000'000, width = 128;

  DlrmKeys() { network.batch = 0; }

  ModelKeys keys() {
    ModelKeys keys;
    add_batch_key(keys, network.batch);
    keys.add("model.most_rows", most_rows, 1, 40'000'000, "rows of a table; indices above are folded");
    keys.add("model.width", width, 1, 4096, "elements of a row");
    return keys;
  }
};

Workload build_dlrm(const WorkloadOptions& options) {
  if (options.optimizer) {
    throw base::InputError("dlrm changes rows of its tables by gradient descent; --optimizer does not go with it");
  }
  DlrmKeys settings;
  settings.keys().apply("dlrm", options.model);
  DlrmOptions& network = settings.network;
  network.batch = global_batch(options, network.batch, samples_per_core);
  network.bottom.back() = settings.width;
  network.rows = criteo_rows();
  for (std::int64_t& rows : network.rows) rows = std::min(rows, settings.most_rows);
  Workload workload;
  workload.name = "dlrm";
  workload.samples = network.batch;
  workload.global = true;
  workload.model_flops = dlrm_flops(network);
  workload.batched = {"dense", "categorical", "labels"};
  workload.sharding = dlrm_sharding(network, options.replicas, replicated_rows);
  workload.step = dlrm_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry dlrm_entry() {
  return {"dlrm", "DLRM training step as in MLPerf, 26 tables, f32, to be partitioned", DlrmKeys().keys().list(),
          build_dlrm};
}

}  // namespace podsim::workloads::models
