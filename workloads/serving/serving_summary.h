// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/request.h"
#include "workloads/serving/server_plan.h"
#include "workloads/serving/service_level.h"
#include "workloads/serving/serving_outcome.h"

namespace podsim::workloads::serving {

/// Times in seconds. A percentile is the least time that this share of them do not exceed.
struct LatencyFigures {
  double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, most = 0;
};
LatencyFigures latency_figures(std::vector<double> seconds);
/// The least of the sorted times that a share of them do not exceed; 0 of none.
double quantile_of(const std::vector<double>& sorted, double share);

/// Figures of requests that arrived when the server was warm, and were not refused.
struct ServingSummary {
  std::int64_t requests = 0;
  double seconds = 0;                                            ///< from then to the end of the last request
  double requests_per_s = 0, input_per_s = 0, output_per_s = 0;  ///< tokens of prompts and of answers
  LatencyFigures wait, first_token, per_token, latency;          ///< per_token without answers of one token
  LatencyFigures gap;                                            ///< between tokens, of all requests (LatencyHistogram)
  double level_share = 0;              ///< of all requests, refused ones too, those that met the level; 0 of none
  double level_per_s = 0;              ///< these per second: the goodput
  double busy = 0;                     ///< share of the time that replicas are in steps
  double tokens_per_turn = 0;          ///< that a sequence gets in a step that decodes
  double mean_batch = 0, padding = 0;  ///< sequences of a step; share of the room in steps that has none
  /// Shares of the peaks of MXUs and HBM: of the time in steps, and of all the time of replicas.
  double mxu_in_steps = 0, hbm_in_steps = 0, mxu = 0, hbm = 0;
  double joules = 0, idle_joules = 0;                   ///< of all chips until the end; the part of it outside steps
  double transfer_wait = 0, busiest_port = 0;           ///< seconds of a cache; share of all the time
  double joules_per_request = 0, joules_per_token = 0;  ///< of all requests, of all tokens made; 0 of none
};

ServingSummary summary_of(const ServerPlan& plan, const std::vector<Request>& requests, const ServingOutcome& outcome,
                          const ServiceLevel& level, Nanoseconds warm_up);

}  // namespace podsim::workloads::serving
