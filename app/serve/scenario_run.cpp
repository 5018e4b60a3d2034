// SPDX-License-Identifier: Apache-2.0
#include "app/serve/scenario_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/serve/serve_run.h"
#include "app/serve/step_programs.h"
#include "base/diagnostic.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "sw/driver/compile.h"
#include "workloads/serving/load.h"
#include "workloads/serving/published_limits.h"
#include "workloads/serving/server_run.h"
#include "workloads/serving/serving_summary.h"

namespace podsim::app::serve {

namespace model = workloads::serving;
using report::serving::ScenarioReport;

namespace {

constexpr std::int64_t suggested_queries = 270'336;  ///< for a 99th percentile, by MLPerf's policies
constexpr std::int64_t multi_stream_samples = 8;
constexpr std::int64_t most_per_core = 512;  ///< samples of a core's step that are tried
constexpr int bisections = 14;

const char* scenario_name(Scenario scenario) {
  switch (scenario) {
    case Scenario::offline:
      return "offline";
    case Scenario::server:
      return "server";
    case Scenario::single_stream:
      return "single_stream";
    case Scenario::multi_stream:
      break;
  }
  return "multi_stream";
}

bool is_stream(Scenario scenario) { return scenario == Scenario::single_stream || scenario == Scenario::multi_stream; }

void check_scenario(const ServeOptions& options, bool tokens) {
  if (tokens) {
    throw base::InputError("scenarios are for workloads without tokens", "--rate N/s --slo 'ttft<2s,tpot<200ms'");
  }
  check_flags(options, tokens);
  if (options.rate || options.cv || options.seconds || !options.trace.empty() || options.urgent ||
      options.between_stops || options.warm_up.si() > 0 || options.router || options.batch_timeout) {
    throw base::InputError(
        "a scenario says how requests arrive and are served",
        "leave out --rate, --cv, --seconds, --trace, --urgent, --between-stops, --warm-up, --router, --batch-timeout");
  }
  if (options.requests && *options.scenario != Scenario::server) {
    throw base::InputError("--requests is of the scenario server", "leave it out");
  }
  if (options.seed != 1 && *options.scenario != Scenario::server) {
    throw base::InputError("only the scenario server draws arrivals", "leave out --seed");
  }
  if (is_stream(*options.scenario) && (options.replicas != 1 || options.max_batch)) {
    throw base::InputError("a stream has one replica, and a batch of its own", "leave out --replicas and --max-batch");
  }
  if (options.level && *options.scenario != Scenario::server) {
    throw base::InputError("only the scenario server has a limit", "leave out --slo");
  }
  if (!options.result_folder.empty()) {
    throw base::InputError("a scenario has no folder of results", "leave out -o; --json prints its figures");
  }
}

/// Powers of two of samples a core, up to what fits the memory.
std::vector<ScenarioReport::Batch> batches_that_fit(const ServeOptions& options, StepPrograms& programs) {
  std::vector<ScenarioReport::Batch> batches;
  const std::int64_t cores = programs.slice().cores;
  for (std::int64_t per_core = 1; per_core <= most_per_core; per_core *= 2) {
    ScenarioReport::Batch batch{.samples = per_core * cores};
    if (options.max_batch && batch.samples > std::max(*options.max_batch, cores)) break;
    try {
      batch.step_s = programs.cost({.decoding = batch.samples}).seconds;
    } catch (const sw::driver::OutOfMemory&) {
      if (batches.empty()) throw;
      break;
    }
    batch.samples_per_s = double(options.replicas) * double(batch.samples) / batch.step_s;
    batches.push_back(batch);
  }
  return batches;
}

void find_limit(const ServeOptions& options, const StepPrograms& programs, ScenarioReport& report) {
  report.percentile = 0.99;
  if (options.level) {
    if (!options.level->latency) throw base::InputError("--slo of a scenario is a latency", "--slo 'latency<100ms'");
    report.limit_s = *options.level->latency;
    report.limit_source = "--slo";
    return;
  }
  const auto limit = model::published_limit(options.run.workload);
  if (!limit) {
    throw base::InputError(fmt::format("no limit of '{}' is published", options.run.workload), "--slo 'latency<100ms'");
  }
  report.limit_s = limit->latency_s;
  report.percentile = limit->percentile;
  report.limit_source = fmt::format("{}, {}", limit->model, limit->source);
  if (limit->sequence > 0 && programs.sequence() != limit->sequence) {
    report.warnings.push_back(fmt::format("the limit is of samples of {} tokens, model.sequence is {}", limit->sequence,
                                          programs.sequence()));
  }
}

void find_server_rate(const ServeOptions& options, StepPrograms& programs, ScenarioReport& report) {
  report.queries = options.requests.value_or(suggested_queries);
  report.seed = options.seed;
  RateLimit limit{report.limit_s, report.percentile, report.queries, options.seed};
  for (std::size_t i = 0; i < report.batches.size(); ++i) {
    ScenarioReport::Batch& batch = report.batches[i];
    if (batch.step_s > report.limit_s) continue;
    model::ServerPlan plan = server_plan(options, false, programs.slice());
    plan.max_batch = plan.buckets.most_decoding = batch.samples;
    const ServedRate found = highest_rate(plan, batch.samples_per_s, limit,
                                          [&](const model::StepShape& shape) { return programs.cost(shape); });
    if (found.rate == 0) continue;
    batch.most_rate = found.rate;
    if (found.rate <= report.samples_per_s) continue;
    report.best = std::int64_t(i);
    report.samples_per_s = found.rate;
    report.latency_s = found.latency_s;
  }
}

}  // namespace

ServedRate highest_rate(const model::ServerPlan& plan, double most, const RateLimit& limit,
                        const model::StepCosts& costs) {
  const auto latency_at = [&](double rate) {
    model::Load load;
    load.arrivals.rate = rate;
    load.requests = limit.queries;
    load.seed = limit.seed;
    const std::vector<model::Request> requests = model::requests_of(load);
    const model::ServingOutcome outcome = model::serve(plan, requests, costs);
    std::vector<double> latencies;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      latencies.push_back(model::times_of(requests[i], outcome.served[i]).latency);
    }
    std::ranges::sort(latencies);
    return model::quantile_of(latencies, limit.percentile);
  };
  ServedRate best;
  double low = 0, high = most;
  for (int i = 0; i < bisections; ++i) {
    const double rate = i == 0 ? high : (low + high) / 2;
    const double latency = latency_at(rate);
    if (latency <= limit.limit_s) {
      low = rate;
      best = {rate, latency};
      if (i == 0) break;
    } else {
      high = rate;
    }
  }
  return best;
}

ScenarioReport run_scenario(const ServeOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const bool tokens = has_tokens(options.run.workload);
  check_scenario(options, tokens);
  StepPrograms programs(options.run, tokens, options.step_overhead);
  ScenarioReport report;
  report.scenario = scenario_name(*options.scenario);
  report.workload = options.run.workload;
  report.machine = programs.slice().machine;
  report.slice = programs.slice().slice;
  report.chips = programs.slice().chips;
  report.replicas = options.replicas;
  if (*options.scenario == Scenario::server) find_limit(options, programs, report);
  if (is_stream(*options.scenario)) {
    const bool single = *options.scenario == Scenario::single_stream;
    ScenarioReport::Batch batch{.samples = single ? 1 : multi_stream_samples};
    batch.step_s = report.latency_s = programs.cost({.decoding = batch.samples}).seconds;
    batch.samples_per_s = double(batch.samples) / batch.step_s;
    report.batches = {batch};
    report.best = 0;
    report.percentile = single ? 0.90 : 0.99;
  } else {
    report.batches = batches_that_fit(options, programs);
  }
  if (*options.scenario == Scenario::offline) {
    const auto best = std::ranges::max_element(report.batches, {}, &ScenarioReport::Batch::samples_per_s);
    report.best = best - report.batches.begin();
    report.samples_per_s = best->samples_per_s;
  }
  if (*options.scenario == Scenario::server) find_server_rate(options, programs, report);
  report.warnings.insert(report.warnings.end(), programs.warnings().begin(), programs.warnings().end());
  report.wall_s = base::host::seconds_since(begin);
  return report;
}

}  // namespace podsim::app::serve
