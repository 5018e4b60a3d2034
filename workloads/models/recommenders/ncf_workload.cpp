// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/ncf_workload.h"

#include "workloads/global_batch.h"
#include "workloads/models/recommenders/ncf.h"

namespace podsim::workloads::models::recommenders {

namespace {

constexpr std::int64_t ncf_pairs_per_core = 12288;

/// The keys of the workload, bound to the fields of `o`.
ModelKeys ncf_keys(NcfOptions& o) {
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.users", o.users, 1, 1 << 30, "rows of the users' tables");
  keys.add("model.items", o.items, 1, 1 << 30, "rows of the items' tables");
  keys.add("model.factors", o.factors, 1, 1 << 16, "factors that are multiplied with each other");
  keys.add("model.perceptron_factors", o.perceptron_factors, 1, 1 << 16,
           "factors of a user, and of an item, that the perceptron reads");
  return keys;
}

NcfOptions ncf_defaults() {
  NcfOptions options;
  options.batch = 0;
  return options;
}

std::vector<ModelKey> ncf_key_list() {
  NcfOptions options = ncf_defaults();
  return ncf_keys(options).list();
}

Workload build_ncf(const WorkloadOptions& options) {
  NcfOptions network = ncf_defaults();
  ncf_keys(network).apply("ncf", options.model);
  network.batch = global_batch(options, network.batch, ncf_pairs_per_core);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = "ncf";
  workload.samples = network.batch;
  workload.global = true;
  if (!options.inference) workload.model_flops = ncf_flops(network);
  workload.batched = {"users", "items", "labels"};
  workload.step = ncf_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry ncf_entry() {
  return {"ncf", "Neural collaborative filtering as in MLPerf, MovieLens-20m, to be partitioned", ncf_key_list(),
          build_ncf, "the drawing of negatives, which hosts do"};
}

}  // namespace podsim::workloads::models::recommenders
