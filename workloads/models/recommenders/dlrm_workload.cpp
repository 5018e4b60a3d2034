// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/dlrm_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "workloads/global_batch.h"
#include "workloads/models/recommenders/dlrm.h"
#include "workloads/models/recommenders/dlrm_core.h"
#include "workloads/models/recommenders/row_exchange.h"

namespace podsim::workloads::models::recommenders {

namespace {

constexpr std::int64_t samples_per_core = 128;
/// Tables with at most this number of rows were on every core in the published profile.
constexpr std::int64_t replicated_rows = 8192;

/// Keys of both entries. A batch of all cores is a key of the program of the whole machine alone.
struct DlrmKeys {
  DlrmOptions network;
  std::int64_t max_rows = 40'000'000, width = 128, kept_rows = replicated_rows, repeated_rows = 8;
  Indices indices = Indices::engines;
  bool global;

  explicit DlrmKeys(bool whole_machine) : global(whole_machine) { network.batch = 0; }

  ModelKeys keys() {
    ModelKeys keys;
    if (global) add_batch_key(keys, network.batch);
    keys.add("model.most_rows", max_rows, 1, 40'000'000, "rows of a table; indices above are folded");
    keys.add("model.width", width, 1, 4096, "elements of a row");
    if (global) return keys;
    keys.add("model.kept_rows", kept_rows, 0, 1 << 20, "most rows of a table that is on every core");
    keys.add("model.repeated_rows", repeated_rows, 0, 1 << 10,
             "places for rows of a table that several samples of a core read");
    keys.add("model.indices", indices,
             {{"engines", Indices::engines}, {"uniform", Indices::uniform}, {"fractal", Indices::fractal}},
             "rows of large tables from the engines, or exchanged by the cores in blocks for such indices");
    return keys;
  }

  void apply(const WorkloadOptions& options, const std::string& name) {
    if (options.optimizer) {
      throw base::InputError(
          fmt::format("{} changes rows of its tables by gradient descent; --optimizer does not go with it", name));
    }
    keys().apply(name, options.model);
    network.bottom.back() = width;
    network.rows = criteo_rows();
    for (std::int64_t& rows : network.rows) rows = std::min(rows, max_rows);
  }
};

Workload build_dlrm(const WorkloadOptions& options) {
  DlrmKeys settings(false);
  settings.apply(options, "dlrm");
  DlrmCoreOptions core;
  core.network = settings.network;
  core.network.batch = options.batch_per_core.value_or(samples_per_core);
  core.replicas = options.replicas;
  core.kept_rows = settings.kept_rows;
  core.repeated_rows = settings.repeated_rows;
  core.forward = options.inference;
  if (settings.indices != Indices::engines) {
    ExchangeOptions exchange{settings.indices, {}, core.network.batch, core.replicas};
    for (std::size_t table : large_tables(core)) exchange.rows.push_back(core.network.rows[table]);
    core.exchanged_rows = exchanged_rows(exchange);
  }
  Workload workload;
  workload.name = "dlrm";
  workload.samples = core.network.batch * options.replicas;
  if (!options.inference) workload.model_flops = dlrm_flops(core.network) * double(options.replicas);
  workload.step = dlrm_core_step(core);
  return workload;
}

Workload build_dlrm_global(const WorkloadOptions& options) {
  DlrmKeys settings(true);
  settings.apply(options, "dlrm_global");
  DlrmOptions& network = settings.network;
  network.batch = global_batch(options, network.batch, samples_per_core);
  Workload workload;
  workload.name = "dlrm_global";
  workload.samples = network.batch;
  workload.global = true;
  if (!options.inference) workload.model_flops = dlrm_flops(network);
  workload.batched = {"dense", "categorical", "labels"};
  workload.sharding = dlrm_sharding(network, options.replicas, replicated_rows);
  workload.step = dlrm_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry dlrm_entry() {
  return {"dlrm", "DLRM training step as in MLPerf, f32, rows of large tables from the embedding engines",
          DlrmKeys(false).keys().list(), build_dlrm,
          "the embedding engines: rows of large tables are there when the core asks for them, and arrive as fast as an "
          "infeed"};
}

WorkloadEntry dlrm_global_entry() {
  return {"dlrm_global", "DLRM with all 26 tables in the program, look-ups and updates by XLA, to be partitioned",
          DlrmKeys(true).keys().list(), build_dlrm_global};
}

}  // namespace podsim::workloads::models::recommenders
