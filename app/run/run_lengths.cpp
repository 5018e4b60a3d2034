// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/options/op_cache_option.h"
#include "app/run/compiled_step.h"
#include "app/run/prepared_run.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/standard_output.h"
#include "base/progress.h"
#include "sw/runtime/session/session.h"
#include "workloads/lengths/lengths_report.h"
#include "workloads/models/registry.h"

namespace podsim::app::run {
namespace {

namespace lengths = workloads::lengths;

/// Sequences of a step on the slice of the options.
std::int64_t batch_of(const RunOptions& options) {
  const sw::TargetMachine machine = sw::read_target(options.machine.load());
  workloads::WorkloadOptions build = options.build;
  build.replicas = StepCompiler(options, machine).slice().nodes() * machine.cores_per_chip;
  std::int64_t batch = 0;
  base::host::locate_errors("workload", options.workload,
                            [&] { batch = workloads::models::build_workload(options.workload, build).samples; });
  return batch;
}

lengths::LengthKeys keys_of(const RunOptions& options) {
  const auto& registry = workloads::models::workload_registry();
  const auto entry = std::ranges::find(registry, options.workload, &workloads::WorkloadEntry::name);
  std::optional<lengths::LengthKeys> keys;
  if (entry != registry.end()) keys = lengths::length_keys(*entry, options.build.model);
  if (!keys) {
    std::string with;
    for (const workloads::WorkloadEntry& other : registry) {
      if (lengths::length_keys(other, {})) with += (with.empty() ? "" : ", ") + other.name;
    }
    base::host::locate_errors("WORKLOAD", options.workload, [&] {
      throw base::InputError(fmt::format("samples of '{}' have no length", options.workload), "one of: " + with);
    });
  }
  return *keys;
}

/// What --lengths says that the workload's settings also say, or that does not fit a packed one.
void check_settings(const RunOptions& options, const lengths::LengthKeys& keys) {
  const lengths::LengthPlan& plan = *options.lengths;
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    base::host::locate_errors("--lengths", options.lengths_text, [&] { throw base::InputError(message, hint); });
  };
  if (!keys.longest.empty() && options.build.model.contains(keys.longest)) {
    refuse(fmt::format("{} follows from the lengths", keys.longest), "leave out --set " + keys.longest);
  }
  if (plan.buckets.empty()) return;
  if (keys.packed) refuse("packed sequences have no buckets", "model.packed=off");
  if (options.build.model.contains(keys.array)) {
    refuse(fmt::format("{} follows from the buckets", keys.array), "leave out --set " + keys.array);
  }
}

/// Simulates steps of a shape in a session of their own, since hosts may feed each shape at their own pace. `place` is
/// the location that an interruption reports.
lengths::ShapeTime time_of(RunOptions options, const lengths::ShapeSteps& drawn, sw::compiler::OpCache* cache,
                           const std::string& place, lengths::LengthsReport& report) {
  options.build.model[report.keys.array] = std::to_string(drawn.shape.array);
  if (!report.keys.longest.empty()) options.build.model[report.keys.longest] = std::to_string(drawn.shape.longest);
  if (!options.detail) options.detail = "replay";
  PreparedRun run(options);
  run.compile(cache);
  sw::runtime::SimulationOptions simulation = run.simulation_options();
  simulation.op_cache = cache;
  simulation.stop = &base::host::watch_for_interrupt();
  sw::runtime::session::Session session(run.report().machine, run.slice(), std::move(simulation));
  run.report().result = session.run({.program = session.add(run.report().program), .steps = options.steps}).result;
  base::host::throw_on_interrupt();
  if (run.report().result.partial) base::host::end_if_interrupted("in " + place);
  report.machine = run.report().machine.name;
  report.slice = run.report().slice;
  return {drawn, run.report().step_s()};
}

}  // namespace

int run_lengths(const RunOptions& options) {
  const auto begin = base::host::HostClock::now();
  base::host::throw_on_interrupt();
  lengths::LengthsReport report{.workload = options.workload, .plan = *options.lengths, .keys = keys_of(options)};
  check_settings(options, report.keys);
  report.batch = batch_of(options);
  std::vector<lengths::LengthBucket> buckets = report.plan.buckets;
  if (buckets.empty()) buckets = {{report.keys.room, report.keys.room}};
  lengths::LengthLaw law;
  base::host::locate_errors("--lengths", options.lengths_text,
                            [&] { law = lengths::law_of(report.plan, buckets.back().end); });
  report.mean_length = law.mean();
  report.left_out = law.left_out;
  base::Progress drawing("drawing");
  const lengths::DrawOptions draw{.batch = report.batch,
                                  .steps = report.plan.steps,
                                  .seed = report.plan.seed,
                                  .loops = !report.keys.longest.empty(),
                                  .progress = [&](double share) { drawing.update(share); }};
  const std::vector<lengths::ShapeSteps> drawn =
      report.keys.packed ? packed_steps(law, report.keys.room, draw) : bucketed_steps(law, buckets, draw);
  options::OpCacheOption op_cache(options.op_cache);
  sw::compiler::OpCache* const cache = op_cache.open();
  base::Progress progress("simulating");
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::string place = fmt::format("step {} of {}", i + 1, drawn.size());
    base::host::end_if_interrupted("before " + place);
    progress.update(double(i) / double(drawn.size()), fmt::format("{} tokens", drawn[i].shape.array));
    report.shapes.push_back(time_of(options, drawn[i], cache, place, report));
  }
  op_cache.close();
  report.wall_s = base::host::seconds_since(begin);
  base::host::print_result(options.json ? lengths_json(report) : lengths_text(report));
  return base::host::done;
}

}  // namespace podsim::app::run
