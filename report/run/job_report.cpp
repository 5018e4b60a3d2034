// SPDX-License-Identifier: Apache-2.0
#include "report/run/job_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report::run {
namespace {

using JobJson = nlohmann::ordered_json;
using Cell = base::text::TextTable::Align;

double in_seconds(base::Time time) { return base::to_duration(time).si(); }

/// With five digits.
std::string short_time(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-5 || seconds == 0) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} us", seconds * 1e6);
}

/// The pipeline with the transfer, if the report has it, whose slowest stage limits the steps.
const hw::input::InputPlan& whole_pipeline(const RunReport& r) {
  return r.loop && r.loop->parts.input ? *r.loop->parts.input : *r.input;
}

std::string share(base::Time part, base::Time whole) {
  return whole <= base::Time(0) ? "" : base::text::percent(double(part.value()) / double(whole.value()));
}

}  // namespace

std::string hosts_text(const RunReport& r) {
  if (!r.input) return "";
  const hw::input::InputPlan& plan = whole_pipeline(r);
  base::text::TextTable table({Cell::left, Cell::right, Cell::left});
  const double slowest = plan.slowest().mean.si();
  for (const hw::input::Stage& stage : plan.stages) {
    const double rate = stage.mean.si() > 0 ? plan.host_samples / stage.mean.si() : 0;
    const std::string text =
        stage.mean.si() == slowest && slowest > 0 ? fmt::format("slowest: {:.0f} samples/s", rate) : "";
    table.row({"  " + stage.name, short_time(stage.mean.si()), text});
  }
  for (std::size_t host = 0; host < plan.speeds.size(); ++host) {
    if (plan.speeds[host] == 1) continue;
    table.row({fmt::format("  host {}", host), fmt::format("{:.4g} times", 1 / plan.speeds[host]), "as long"});
  }
  return fmt::format("\nwhat {} for a step, {:.0f} samples each\n",
                     plan.hosts == 1 ? "the host does" : fmt::format("each of {} hosts does", plan.hosts),
                     plan.host_samples) +
         table.text();
}

std::string loop_text(const RunReport& r) {
  if (!r.loop) return "";
  const auto& parts = r.loop->parts;
  const auto& time = r.loop->time;
  base::text::TextTable table({Cell::left, Cell::right, Cell::right, Cell::left});
  const auto row = [&](const char* name, base::Time part, const std::string& details) {
    table.row({name, short_time(in_seconds(part)), share(part, time.all()), details});
  };
  const auto steps = double(parts.plan.steps);
  row("  steps", time.steps - time.waiting - time.outfeed_waiting,
      fmt::format("{} each on the device", short_time(in_seconds(parts.step))));
  row("  waiting for hosts", time.waiting,
      time.waiting > base::Time(0) ? fmt::format("{} a step; slowest: {}", short_time(in_seconds(time.waiting) / steps),
                                                 whole_pipeline(r).slowest().name)
                                   : "");
  if (parts.outfeed_transfer > base::Time(0)) {
    row("  sending results", time.outfeed_waiting,
        fmt::format("{} a step over PCIe, {} of a host for them", short_time(in_seconds(parts.outfeed_transfer)),
                    short_time(in_seconds(parts.outfeed_handling))));
  }
  if (parts.plan.evaluation_steps > 0) {
    const base::Time waits = time.evaluation_waiting;
    row("  evaluation", time.evaluation,
        fmt::format(
            "{} each on the device{}", short_time(in_seconds(parts.evaluation_step)),
            waits > base::Time(0) ? fmt::format(", {} of it waiting for hosts", short_time(in_seconds(waits))) : ""));
  }
  if (parts.plan.checkpoint_steps > 0) {
    row("  checkpoints", time.checkpoints,
        fmt::format("{}, {} from the devices and {} to the storage{}", parts.plan.checkpoints(),
                    short_time(in_seconds(parts.save)), short_time(in_seconds(parts.store)),
                    parts.store_beside ? ", concurrent with the steps" : ""));
  }
  row("  launches", time.launches, "");
  const double cadence = in_seconds(time.all()) / steps;
  std::string evaluation =
      parts.plan.evaluation_steps > 0 ? fmt::format(" and an evaluation of {}", parts.plan.evaluation_steps) : "";
  if (parts.plan.checkpoint_steps > 0) {
    evaluation += fmt::format(", {}", base::text::counted(parts.plan.checkpoints(), "checkpoint"));
  }
  const std::string rate =
      r.samples_per_step() > 0 ? fmt::format(", {:.0f} samples/s", r.samples_per_step() / cadence) : "";
  return fmt::format("\na loop of {}{}: {}, which is {} a step{}\n", base::text::counted(parts.plan.steps, "step"),
                     evaluation, short_time(in_seconds(time.all())), short_time(cadence), rate) +
         table.text();
}

std::string checkpoint_text(const RunReport& r) {
  if (!r.checkpoint) return "";
  const workloads::job::Checkpoint& saved = *r.checkpoint;
  return fmt::format("\na checkpoint: {} in all, {} of them on the fullest host, {} on its fullest chip\n",
                     base::to_string(saved.state), base::to_string(saved.host), base::to_string(saved.chip));
}

void add_job(JobJson& json, const RunReport& r) {
  if (r.input) {
    const hw::input::InputPlan& plan = whole_pipeline(r);
    JobJson stages = JobJson::array();
    for (const hw::input::Stage& stage : plan.stages) {
      stages.push_back({{"name", stage.name}, {"time_s", stage.mean.si()}, {"spread", stage.spread}});
    }
    json["input"] = {{"hosts", plan.hosts},
                     {"samples_per_host", plan.host_samples},
                     {"bytes_per_core", r.core_batch.value()},
                     {"slowest_stage", plan.slowest().name},
                     {"slowest_s", plan.slowest().mean.si()},
                     {"stages", stages}};
  }
  if (r.checkpoint) {
    const workloads::job::Checkpoint& saved = *r.checkpoint;
    json["checkpoint"] = {{"state_bytes", saved.state.value()},    {"host_bytes", saved.host.value()},
                          {"chip_bytes", saved.chip.value()},      {"to_host_s", saved.to_host.si()},
                          {"to_storage_s", saved.to_storage.si()}, {"from_storage_s", saved.from_storage.si()},
                          {"to_device_s", saved.to_device.si()}};
  }
  if (r.loop) {
    const auto& parts = r.loop->parts;
    const auto& time = r.loop->time;
    json["train_loop"] = {{"steps", parts.plan.steps},
                          {"evaluation_steps", parts.plan.evaluation_steps},
                          {"time_s", in_seconds(time.all())},
                          {"cadence_s", in_seconds(time.all()) / double(parts.plan.steps)},
                          {"device_step_s", in_seconds(parts.step)},
                          {"device_evaluation_step_s", in_seconds(parts.evaluation_step)},
                          {"training_s", in_seconds(time.steps)},
                          {"waiting_for_hosts_s", in_seconds(time.waiting)},
                          {"evaluation_s", in_seconds(time.evaluation)},
                          {"launches_s", in_seconds(time.launches)}};
    if (parts.outfeed_transfer > base::Time(0)) {
      json["train_loop"]["outfeed_transfer_s"] = in_seconds(parts.outfeed_transfer);
      json["train_loop"]["outfeed_handling_s"] = in_seconds(parts.outfeed_handling);
      json["train_loop"]["sending_results_s"] = in_seconds(time.outfeed_waiting);
    }
    if (parts.plan.checkpoint_steps > 0) {
      json["train_loop"]["checkpoint_steps"] = parts.plan.checkpoint_steps;
      json["train_loop"]["checkpoints_s"] = in_seconds(time.checkpoints);
    }
  }
}

}  // namespace podsim::report::run
