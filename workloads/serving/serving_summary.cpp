// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/serving_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace podsim::workloads::serving {
namespace {

double ratio_or_0(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// What the replicas did, and what their chips drew: in steps that of the steps, else that of chips that do nothing.
void add_work(const ServerPlan& plan, const ServingOutcome& outcome, ServingSummary& sum) {
  double busy = 0, all = 0;
  StepCost work;
  for (const ReplicaOutcome& of : outcome.replicas) {
    busy += goodput::seconds(of.busy);
    all += goodput::seconds(outcome.end);
    work += of.work;
  }
  sum.busy = ratio_or_0(busy, all);
  for (const ReplicaOutcome& of : outcome.replicas) {
    const double held = goodput::seconds(std::max(of.sending, of.receiving));
    sum.busiest_port = std::max(sum.busiest_port, ratio_or_0(held, goodput::seconds(outcome.end)));
  }
  sum.transfer_wait = ratio_or_0(goodput::seconds(outcome.transfer_wait), double(outcome.counts.transfers));
  sum.mxu_in_steps = ratio_or_0(work.mxu_s, busy);
  sum.hbm_in_steps = ratio_or_0(work.hbm_s, busy);
  sum.mxu = ratio_or_0(work.mxu_s, all);
  sum.hbm = ratio_or_0(work.hbm_s, all);
  sum.idle_joules = plan.idle_watts * (all - busy);
  sum.joules = work.joules + sum.idle_joules;
  sum.joules_per_request = ratio_or_0(sum.joules, double(outcome.counts.finished));
  sum.joules_per_token = ratio_or_0(sum.joules, double(outcome.counts.made));
}

}  // namespace

double quantile_of(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  // A share such as 0.9 of ten times is the ninth, however it is rounded in binary.
  const double rank = std::ceil(share * double(sorted.size()) - 1e-9);
  return sorted[std::size_t(std::clamp(rank, 1.0, double(sorted.size()))) - 1];
}

LatencyFigures latency_figures(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  return {.mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / double(seconds.size()),
          .p50 = quantile_of(seconds, 0.5),
          .p90 = quantile_of(seconds, 0.9),
          .p95 = quantile_of(seconds, 0.95),
          .p99 = quantile_of(seconds, 0.99),
          .most = seconds.back()};
}

ServingSummary summary_of(const ServerPlan& plan, const std::vector<Request>& requests, const ServingOutcome& outcome,
                          const ServiceLevel& level, Nanoseconds warm_up) {
  ServingSummary sum;
  std::vector<double> wait, first, per_token, latency;
  std::int64_t counted = 0, met = 0, input = 0, output = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].arrival < warm_up) continue;
    ++counted;
    const Served& served = outcome.served[i];
    if (served.refused()) continue;
    ++sum.requests;
    const RequestTimes times = times_of(requests[i], served);
    wait.push_back(times.wait);
    first.push_back(times.first_token);
    if (requests[i].output > 1) per_token.push_back(times.per_token);
    latency.push_back(times.latency);
    if (level.met(times)) ++met;
    input += requests[i].input;
    output += requests[i].output;
  }
  sum.seconds = goodput::seconds(std::max(outcome.end - warm_up, Nanoseconds(0)));
  sum.requests_per_s = ratio_or_0(double(sum.requests), sum.seconds);
  sum.input_per_s = ratio_or_0(double(input), sum.seconds);
  sum.output_per_s = ratio_or_0(double(output), sum.seconds);
  sum.wait = latency_figures(std::move(wait));
  sum.first_token = latency_figures(std::move(first));
  sum.per_token = latency_figures(std::move(per_token));
  sum.latency = latency_figures(std::move(latency));
  const LatencyHistogram& gaps = outcome.gaps;
  sum.gap = {.mean = gaps.mean(),
             .p50 = gaps.quantile(0.5),
             .p90 = gaps.quantile(0.9),
             .p95 = gaps.quantile(0.95),
             .p99 = gaps.quantile(0.99),
             .most = gaps.quantile(1)};
  sum.level_share = counted > 0 ? double(met) / double(counted) : 0;
  sum.level_per_s = ratio_or_0(double(met), sum.seconds);
  add_work(plan, outcome, sum);
  const ServingCounts& counts = outcome.counts;
  sum.mean_batch = ratio_or_0(double(counts.filled), double(counts.steps));
  sum.tokens_per_turn = ratio_or_0(double(counts.decoded), double(counts.turns));
  sum.padding = 1 - ratio_or_0(double(counts.filled), double(counts.padded));
  if (counts.padded == 0) sum.padding = 0;
  return sum;
}

}  // namespace podsim::workloads::serving
