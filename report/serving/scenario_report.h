// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace podsim::report::serving {

/// The result of a scenario of MLPerf's inference benchmark.
struct ScenarioReport {
  /// A batch that a replica's step may have.
  struct Batch {
    std::int64_t samples = 0;
    double step_s = 0;
    double samples_per_s = 0;              ///< of all replicas, one step behind the other
    std::optional<double> most_rate = {};  ///< of the scenario server: queries per second within the limit
  };

  std::string scenario;  ///< "offline"
  std::string workload, machine, slice;
  std::int64_t chips = 0, replicas = 0;
  double limit_s = 0;        ///< of a query; 0: the scenario has none
  double percentile = 0;     ///< of the queries that are within it, or whose latency is the result
  std::string limit_source;  ///< where the limit is published; "--slo"
  std::int64_t queries = 0;  ///< that were simulated; 0: all take the same
  std::uint64_t seed = 1;
  std::vector<Batch> batches;
  std::int64_t best = -1;    ///< index of the batch with the result; -1: none is within the limit
  double samples_per_s = 0;  ///< offline and server: the result
  double latency_s = 0;      ///< single stream and multi stream: the result; server: at the highest rate
  std::vector<std::string> warnings;
  double wall_s = 0;
};

std::string scenario_text(const ScenarioReport& report);
std::string scenario_json(const ScenarioReport& report);

}  // namespace podsim::report::serving
