// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "workloads/goodput/fault_events.h"
#include "workloads/goodput/job_outcome.h"
#include "workloads/goodput/job_plan.h"

namespace podsim::workloads::goodput {

/// Runs a job through failures, event by event. Between two of them it is a stretch of equal periods, in closed form
/// (saved_states.h), so that a month takes as many events as it has failures and repairs.
///
/// A failure of a part that the job uses ends it. Then, one after another:
///
///   detection   plan.detection and plan.diagnosis; not of announced ones, before which the job saves its state
///   exchange    plan.exchange, if a spare takes over
///   or waiting  until a repair lets the job go on, if no slice remains, or none that is worth it
///   restart     of the slice on which it goes on, with the newest checkpoint
///
/// A failure during these begins them again. A smaller slice is worth it if it does, in the mean time of a repair, more
/// steps than the two restarts for it would. A job on a smaller slice, or with rerouted messages, saves its state and
/// moves when a repair allows a faster way. Failures outside of its slice do not stop it.
///
/// Silent corruption stops nothing. A check finds the chip with probability plan.silent_found; the job goes back to the
/// newest checkpoint from before the corruption.
JobOutcome run_job(const JobPlan& plan, std::span<const FaultEvent> events);

/// The parts of a site that fail, with their rates from `per_day`, by cause.
std::vector<FaultSource> fault_sources(const Site& site, const std::array<double, all_causes.size()>& per_day,
                                       double shape);

}  // namespace podsim::workloads::goodput
