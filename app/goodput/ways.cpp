// SPDX-License-Identifier: Apache-2.0
#include "app/goodput/ways.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "app/run/run.h"
#include "base/diagnostic.h"
#include "noc/slice.h"
#include "sw/collectives/engine/rerouted_delay.h"
#include "workloads/goodput/remaining_slice.h"
#include "workloads/job/job_parameters.h"

namespace podsim::app::goodput {

namespace model = workloads::goodput;

namespace {

using WayReport = report::GoodputReport::WayReport;

constexpr std::int64_t loop_steps = 1000;
constexpr std::array<std::size_t, 2> kept_shapes{2, 1};  ///< with half of the chips, with a quarter

constexpr std::int64_t most_unfolded = 512;  ///< chips of a slice without wraps, which does not fold

std::int64_t chips_of(const model::Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t(1), std::multiplies<>());
}

std::vector<model::Sizes> kept_slices(const model::Site& site) {
  std::vector<model::Sizes> kept;
  std::array<std::size_t, kept_shapes.size()> counts{};
  for (const model::Sizes& sizes : model::smaller_slices(site)) {
    for (std::size_t i = 0; i < kept_shapes.size(); ++i) {
      if (chips_of(sizes) << (i + 1) != site.slice().nodes() || counts[i] == kept_shapes[i]) continue;
      ++counts[i];
      kept.push_back(sizes);
    }
  }
  return kept;
}

/// Samples of a core in a step; 0 if they are not known, or not the same for all.
std::int64_t batch_of(const report::run::RunReport& whole) {
  if (whole.batch_per_core > 0) return whole.batch_per_core;
  const auto samples = std::int64_t(whole.samples_per_step());
  const std::int64_t cores = whole.chips * whole.machine.cores_per_chip;
  return samples % cores == 0 ? samples / cores : 0;
}

/// The job on other chips, as the options have it but for the slice and the batch.
run::RunOptions on_slice(const run::RunOptions& options, const model::Sizes& sizes, std::int64_t batch) {
  run::RunOptions other = options;
  other.slice = fmt::format("{}", fmt::join(sizes, "x"));
  if (batch > 0) other.build.batch_per_core = batch;
  return other;
}

WayReport smaller_way(const run::RunOptions& options, const report::run::RunReport& whole, const model::Sizes& sizes,
                      const base::Config& machine) {
  const std::int64_t ratio = whole.chips / chips_of(sizes);
  const auto simulated = [&](std::int64_t batch) {
    model::Way way = way_of(job_on_slice(on_slice(options, sizes, batch)), machine);
    way.sizes = sizes;
    return way;
  };
  if (const std::int64_t batch = batch_of(whole); batch > 0) {
    try {
      return {simulated(batch * ratio), fmt::format("{} samples a core", batch * ratio)};
    } catch (const base::InputError&) {
      // More samples do not fit the memory, or the flags fit the whole slice only.
    }
    try {
      WayReport added{simulated(batch), fmt::format("{} steps, added up", ratio)};
      added.way.step *= ratio;
      return added;
    } catch (const base::InputError&) {
      // The flags fit the whole slice only.
    }
  }
  WayReport scaled{way_of(whole, machine), fmt::format("assumed: the step of the whole slice, {} times", ratio)};
  scaled.way.sizes = sizes;
  scaled.way.step *= ratio;
  return scaled;
}

}  // namespace

report::run::RunReport job_on_slice(const run::RunOptions& options) {
  run::RunOptions job = options;
  job.train.emplace();
  job.train->steps = loop_steps;
  job.train->restore = true;
  job.train->fails = true;
  job.loop = workloads::job::LoopPlan{.steps = loop_steps};
  job.detail = "replay";
  return run::run_report(job);
}

model::Way way_of(const report::run::RunReport& job, const base::Config& machine) {
  const workloads::job::JobParameters parameters = workloads::job::read_job_parameters(machine);
  const double step = base::to_duration(job.loop->time.steps).si() / double(job.loop->parts.plan.steps);
  model::Way way;
  way.step = std::max(model::nanoseconds(base::Duration(step)), model::Nanoseconds(1));
  way.restart = model::nanoseconds(job.training->start.all());
  // The loop on the device ends at a checkpoint and is launched again.
  way.save = model::nanoseconds(job.checkpoint->to_host + parameters.loop_launch);
  way.store = model::nanoseconds(job.checkpoint->to_storage);
  return way;
}

std::vector<WayReport> smaller_ways(const run::RunOptions& options, const report::run::RunReport& whole,
                                    const model::Site& site, const base::Config& machine) {
  std::vector<WayReport> ways;
  for (const model::Sizes& sizes : kept_slices(site)) {
    const std::vector<bool> wraps = noc::slice_wraps(site.pod(), sizes);
    const bool folds = chips_of(sizes) <= most_unfolded || std::ranges::count(wraps, true) > 0;
    const auto alike = std::ranges::find_if(
        ways, [&](const WayReport& other) { return chips_of(other.way.sizes) == chips_of(sizes); });
    if (folds || alike == ways.end()) {
      ways.push_back(smaller_way(options, whole, sizes, machine));
    } else {
      WayReport same = *alike;
      same.how = fmt::format("assumed: as {}", fmt::join(alike->way.sizes, "x"));
      same.way.sizes = sizes;
      ways.push_back(std::move(same));
    }
  }
  return ways;
}

double slowdown_around(const report::run::RunReport& whole, const model::Site& site, noc::LinkId link) {
  const auto largest = std::ranges::max_element(whole.result.collectives, {}, &sw::runtime::CollectiveResult::bytes);
  if (largest == whole.result.collectives.end() || whole.result.step_time.value() == 0) return 1;
  const double slowdown =
      sw::collectives::engine::rerouted_all_reduce(whole.machine, site.slice(), largest->bytes, link).slowdown();
  const double share = double(whole.result.collective.value()) / double(whole.result.step_time.value());
  return 1 + share * (std::max(slowdown, 1.0) - 1);
}

std::optional<double> slowdown_around_any(const report::run::RunReport& whole, const model::Site& site) {
  const noc::Topology& slice = site.slice();
  if (slice.nodes() == 1) return std::nullopt;
  double largest = 1;
  for (int d = 0; d < slice.dimensions(); ++d) {
    if (slice.size(d) == 1) continue;
    noc::Coordinates middle{};
    for (int other = 0; other < slice.dimensions(); ++other) middle[std::size_t(other)] = (slice.size(other) - 1) / 2;
    const noc::LinkId link = slice.link_id(slice.node(middle), d, 1);
    if (model::hops_around(slice, slice.link(link).value()) == 0) return std::nullopt;
    largest = std::max(largest, slowdown_around(whole, site, link));
  }
  return largest;
}

}  // namespace podsim::app::goodput
