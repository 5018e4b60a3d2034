// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/trace/timeline.h"
#include "report/run/run_report.h"

/// The parts of a run's reports beyond a step: hosts and a loop.
namespace podsim::report::run {

/// "" for a run without hosts.
std::string hosts_text(const RunReport& report);
/// "" for a run without a loop.
std::string loop_text(const RunReport& report);
/// "" for a run without checkpoints.
std::string checkpoint_text(const RunReport& report);
/// The keys "input", "checkpoint" and "train_loop", for runs that have them.
void add_job(nlohmann::ordered_json& json, const RunReport& report);

/// The job over time, for a run with a loop: the start of a training, two rounds of the loop with the work of the
/// hosts, and the further rounds of a training as a span each.
base::trace::Timeline job_timeline(const RunReport& report);

}  // namespace podsim::report::run
