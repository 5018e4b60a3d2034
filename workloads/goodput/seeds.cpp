// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/seeds.h"

#include <algorithm>
#include <cmath>

#include "base/host/interrupt.h"

namespace podsim::workloads::goodput {
namespace {

constexpr double enough_failures = 20'000;
constexpr std::int64_t most_seeds = 4000;
constexpr double most_held = 5e6;  ///< failures of all months of a search, which are in memory together
constexpr int half_points = 6;     ///< on both sides of Daly's interval

std::int64_t seeds_of_search(const JobPlan& plan, std::span<const FaultSource> sources, const Seeds& seeds) {
  const double failures = seconds(plan.horizon) / time_between_failures(sources).si();
  if (failures <= 0) return seeds.count;
  double all = 0;
  for (const FaultSource& source : sources) all += double(source.units) * source.per_day;
  const double held = std::max(std::floor(most_held / (all * seconds(plan.horizon) / 86'400)), 1.0);
  const double enough = std::min({std::ceil(enough_failures / failures), double(most_seeds), held});
  return std::max(seeds.count, std::int64_t(enough));
}

}  // namespace

std::vector<JobOutcome> run_seeds(const JobPlan& plan, std::span<const FaultSource> sources, const Seeds& seeds) {
  std::vector<JobOutcome> outcomes;
  for (std::int64_t i = 0; i < seeds.count; ++i) {
    base::host::end_if_interrupted();
    outcomes.push_back(run_job(plan, fault_events(sources, plan.horizon, seeds.seed + std::uint64_t(i))));
  }
  return outcomes;
}

double goodput(const JobOutcome& outcome) { return seconds(outcome.training) / seconds(outcome.all()); }

double goodput_quantile(std::span<const JobOutcome> outcomes, double share) {
  std::vector<double> values;
  for (const JobOutcome& outcome : outcomes) values.push_back(goodput(outcome));
  std::ranges::sort(values);
  const double position = share * double(values.size() - 1);
  const auto below = std::size_t(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - double(below)) * (values[above] - values[below]);
}

JobOutcome sum_of(std::span<const JobOutcome> outcomes) {
  JobOutcome sum;
  for (const JobOutcome& one : outcomes) {
    sum.steps += one.steps;
    sum.training += one.training;
    sum.slower += one.slower;
    sum.checks += one.checks;
    sum.checkpoints += one.checkpoints;
    sum.start += one.start;
    sum.interruptions += one.interruptions;
    sum.announced += one.announced;
    sum.smaller_slices += one.smaller_slices;
    sum.rerouted += one.rerouted;
    sum.suspect_steps += one.suspect_steps;
    for (const Cause cause : all_causes) {
      CauseTimes& of = sum.of(cause);
      const CauseTimes& more = one.of(cause);
      of.interruptions += more.interruptions;
      of.lost += more.lost;
      of.detection += more.detection;
      of.waiting += more.waiting;
      of.restart += more.restart;
    }
  }
  return sum;
}

base::Duration time_between_failures(std::span<const FaultSource> sources) {
  double per_day = 0;
  for (const FaultSource& source : sources) {
    const bool announced = source.cause == Cause::maintenance || source.cause == Cause::hbm_worn;
    if (!announced && source.cause != Cause::silent) per_day += double(source.units) * source.per_day;
  }
  return base::Duration(86'400 / per_day);
}

IntervalSearch search_interval(JobPlan plan, std::span<const FaultSource> sources, const Seeds& seeds) {
  IntervalSearch search;
  search.seeds = seeds_of_search(plan, sources, seeds);
  const Way& way = plan.ways[0];
  const base::Duration wait(seconds(plan.beside ? way.save : way.save + way.store) +
                            seconds(plan.check.value_or(Nanoseconds(0))));
  const double middle = daly_interval(wait, time_between_failures(sources)).si();
  std::vector<std::vector<FaultEvent>> months;
  for (std::int64_t i = 0; i < search.seeds; ++i) {
    months.push_back(fault_events(sources, plan.horizon, seeds.seed + std::uint64_t(i)));
  }
  for (int i = -half_points; i <= half_points; ++i) {
    const double wanted = middle * std::exp2(2.0 * i / half_points);
    plan.checkpoint_steps = std::max<std::int64_t>(std::llround(wanted / seconds(way.step)), 1);
    const double work_s = seconds(way.step * plan.checkpoint_steps);
    if (!search.points.empty() && search.points.back().work_s >= work_s) continue;
    double work_s_of_all = 0, cost_s = 0;
    for (const std::vector<FaultEvent>& month : months) {
      base::host::end_if_interrupted();
      const JobOutcome outcome = run_job(plan, month);
      const Nanoseconds work = outcome.training + outcome.slower;
      Nanoseconds cost = outcome.checkpoints + outcome.checks;
      for (const CauseTimes& cause : outcome.causes) cost += cause.lost;
      work_s_of_all += seconds(work);
      cost_s += seconds(cost);
    }
    search.points.push_back({work_s, 1 + cost_s / std::max(work_s_of_all, 1e-9)});
  }
  if (search.points.size() >= 4) search.best = best_interval(search.points);
  return search;
}

}  // namespace podsim::workloads::goodput
