// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/units.h"
#include "workloads/goodput/job_plan.h"
#include "workloads/goodput/seeds.h"
#include "workloads/goodput/site.h"
#include "workloads/goodput/verdicts.h"
#include "workloads/job/checkpoint.h"

namespace podsim::report {

/// `podsim goodput`: a job through days of failures.
struct GoodputReport {
  /// A slice on which the job can run, and how its step and the others were found.
  struct WayReport {
    workloads::goodput::Way way;
    std::string how;  ///< "the whole slice", "16 samples a core", "2 steps, added up"
  };
  struct LinkVerdict {
    workloads::goodput::Verdict verdict;
    std::optional<double> slowdown;  ///< of the step with rerouted messages, where that was simulated
  };

  std::string workload, machine, slice;
  std::shared_ptr<const workloads::goodput::Site> site;  ///< of the plan
  std::int64_t chips = 0, hosts = 0, cables = 0, optical_links = 0;
  double days = 30;
  workloads::goodput::Seeds seeds;
  std::vector<WayReport> ways;
  std::string rerouted_how;  ///< empty: messages cannot be rerouted
  workloads::goodput::JobPlan plan;
  workloads::job::Checkpoint checkpoint;
  std::string interval_source;  ///< "the best", "--checkpoint-every"
  std::vector<workloads::goodput::FaultSource> sources;
  std::optional<workloads::goodput::IntervalSearch> search;
  std::vector<workloads::goodput::JobOutcome> outcomes;
  std::vector<base::ConfigEntry> values;  ///< of [faults]
  std::vector<LinkVerdict> verdicts;
  std::vector<std::string> warnings;
  double wall_s = 0;

  base::Duration interval() const;          ///< work from one checkpoint to the next
  base::Duration checkpoint_wait() const;   ///< of the device for a checkpoint and its check
  base::Duration between_failures() const;  ///< mean, unannounced, of the whole slice
  double host_availability() const;   ///< share of the time in which a host works, with its chips and without spares
  double slice_availability() const;  ///< and all hosts of the slice at the same time
  /// Factor of a step's time on slices of these sizes; std::nullopt if the job has none of them.
  std::optional<double> slowdown_on(const workloads::goodput::Sizes& sizes) const;
  base::Duration young() const;
  base::Duration daly() const;
};

std::string goodput_text(const GoodputReport& report);
/// One JSON object.
std::string goodput_json(const GoodputReport& report);
/// The verdicts alone, a line each.
std::string verdicts_text(const GoodputReport& report);

}  // namespace podsim::report
