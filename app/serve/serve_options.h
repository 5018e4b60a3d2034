// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/run_options.h"
#include "base/units.h"
#include "workloads/serving/server_plan.h"
#include "workloads/serving/service_level.h"

namespace podsim::app::serve {

/// The scenarios of MLPerf's inference benchmark.
enum class Scenario { offline, server, single_stream, multi_stream };

/// The flags of `podsim serve`. What is std::nullopt was not given.
struct ServeOptions {
  run::RunOptions run;  ///< a replica's step

  std::optional<double> rate;  ///< requests per second
  std::optional<double> cv;    ///< of the gaps between them
  std::optional<base::Duration> seconds;
  std::optional<std::int64_t> requests;
  std::string trace;    ///< file of requests; empty: they are drawn
  std::string lengths;  ///< name of a published trace; empty: prompt and output
  std::optional<std::int64_t> prompt, answer;
  std::optional<double> urgent, reuse;
  std::uint64_t seed = 1;

  std::int64_t replicas = 1, decode_replicas = 0;
  std::optional<workloads::serving::Router> router;
  std::optional<std::int64_t> max_batch, chunk, page, cache_tokens;
  std::optional<workloads::serving::CachedTokens> cached;
  std::optional<base::Duration> batch_timeout, transfer_latency, repair, between_stops;
  std::optional<base::Bandwidth> transfer_rate;
  base::Duration step_overhead;

  std::optional<double> expert_skew;  ///< Zipf's exponent, of the model alone; std::nullopt: slots as it has them
  std::string draft;                  ///< workload that drafts tokens; empty: none
  workloads::ModelSettings draft_settings;
  std::optional<std::int64_t> draft_tokens;
  std::optional<double> accept;  ///< probability of a drafted token

  std::optional<workloads::serving::ServiceLevel> level;
  std::vector<std::string> slices;    ///< that are tried for the level; empty: run.slice alone, or walk_slices
  bool walk_slices = false;           ///< those of the machine are tried, from the fewest chips on
  std::optional<double> level_share;  ///< of the requests that have to meet it
  base::Duration warm_up;
  std::optional<Scenario> scenario;
  bool json = false;
  std::string result_folder;  ///< empty: none

  std::int64_t drafted() const { return draft_tokens.value_or(4); }
  bool several_slices() const { return walk_slices || !slices.empty(); }
};

}  // namespace podsim::app::serve
