// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/serving/request.h"
#include "workloads/serving/server_plan.h"
#include "workloads/serving/service_level.h"
#include "workloads/serving/serving_outcome.h"
#include "workloads/serving/serving_summary.h"

/// The result of `podsim serve`, as text, as one JSON object, as tables and as a page.
namespace podsim::report::serving {

/// A program that was simulated for the times of steps.
struct StepProgram {
  workloads::serving::StepShape shape;
  workloads::serving::StepCost cost = {};  ///< of a step, with the time of its host
  bool drafts = false;                     ///< it is of the model that drafts tokens
};

struct ServingReport {
  std::string workload, machine, slice;  ///< slice of a replica
  std::string draft;                     ///< workload that drafts tokens; empty: none does
  std::int64_t chips = 0;                ///< of a replica
  std::string arrivals, lengths;         ///< what was asked for, in words
  std::uint64_t seed = 1;
  std::optional<double> expert_skew = {};  ///< std::nullopt: experts have the slots of the model
  double rate = 0;                         ///< that was asked for, requests per second; of a trace its mean
  double warm_up_s = 0;
  double step_overhead_s = 0;  ///< of a host for each step
  workloads::serving::ServerPlan plan;
  workloads::serving::ServiceLevel level;
  std::vector<workloads::serving::Request> requests;
  workloads::serving::ServingOutcome outcome;
  workloads::serving::ServingSummary summary;
  std::vector<StepProgram> programs;  ///< by shape
  double cache_bytes_per_token = 0;   ///< of all chips of a replica; 0: no tokens
  std::vector<std::string> warnings;
  double wall_s = 0;

  std::int64_t replicas() const { return plan.all_replicas(); }
  double watts_per_chip() const { return outcome.watts.mean() / double(chips * replicas()); }
};

/// Host times are left out without `with_wall`.
std::string serving_text(const ServingReport& report, bool with_wall = true);
std::string serving_json(const ServingReport& report, bool with_wall = true);
/// A row for each request, in the order of their arrivals. Times are in seconds.
std::string requests_csv(const ServingReport& report);
/// A row for each bin of time: waiting and running requests, the share of the cache's pages, shares of the peaks of
/// MXUs and HBM, watts of all chips, and the running requests of each replica. Bins are those of the series of the
/// waiting requests.
std::string series_csv(const ServingReport& report);

}  // namespace podsim::report::serving
