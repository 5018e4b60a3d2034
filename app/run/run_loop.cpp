// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/run/compiled_step.h"
#include "base/diagnostic.h"
#include "hw/host/host_copy_timing.h"
#include "hw/input/input_parameters.h"
#include "sw/runtime/all_reduce_time.h"
#include "workloads/input_samples.h"
#include "workloads/job/job_parameters.h"

namespace podsim::app::run {

namespace {

constexpr std::int64_t metrics = 2;  ///< of an evaluation: a sum and a count

}  // namespace

base::Bytes core_batch(const sw::compiler::Program& program, base::Bytes batch) {
  if (program.infeeds.empty()) return batch;
  base::Bytes bytes;
  for (const sw::compiler::HostTransfer& transfer : program.infeeds) bytes += transfer.bytes;
  return bytes;
}

void plan_input(report::run::RunReport& report, const noc::Topology& slice, base::Bytes batch,
                const base::Config& machine) {
  hw::input::StepInput step{.sample = {},
                            .samples = std::int64_t(report.samples_per_step()),
                            .core_batch = batch,
                            .chips = slice.nodes(),
                            .cores_per_chip = report.machine.cores_per_chip};
  if (const auto known = workloads::input_samples(report.workload); known && step.samples > 0) {
    step.sample = known->work;
  } else {
    step.samples = step.chips * step.cores_per_chip;
    step.sample.stored = batch;
    report.warnings.push_back(fmt::format("the samples of '{}' are not known: a core's batch of {} is one record",
                                          report.workload, base::to_string(batch)));
  }
  report.input = hw::input::input_plan(hw::input::read_input_parameters(machine), step);
  report.core_batch = batch;
}

void plan_checkpoint(report::run::RunReport& report, std::span<const workloads::job::StateArray> state,
                     const base::Config& machine) {
  if (state.empty()) {
    throw base::InputError(fmt::format("nothing tells what a checkpoint of '{}' holds", report.workload),
                           "the parameters of a step that its outputs replace: input_output_alias");
  }
  report.checkpoint =
      workloads::job::checkpoint(state, {.chips = report.chips,
                                         .cores_per_chip = report.machine.cores_per_chip,
                                         .host_chips = hw::input::read_input_parameters(machine).host_chips,
                                         .pcie_rate = report.machine.host.pcie_rate,
                                         .storage_rate = workloads::job::read_job_parameters(machine).storage_rate});
}

sw::compiler::Program evaluation_program(const RunOptions& options, const sw::TargetMachine& machine,
                                         sw::compiler::OpCache* cache) {
  RunOptions forward = options;
  forward.partition.weight_update_sharding = "off";
  forward.overlap = sw::compiler::Overlap::none;
  return StepCompiler(forward, machine).compile_evaluation(cache).step.program;
}

base::Time fed_step_time(const sw::compiler::Program& program, const sw::runtime::RunResult& result,
                         const sw::TargetMachine& machine) {
  base::Time waiting = result.infeed;
  for (const sw::runtime::ItemResult& executed : result.items) {
    const sw::compiler::ProgramItem& item = program.items[std::size_t(executed.item)];
    if (item.kind != sw::compiler::ProgramItem::Kind::infeed) continue;
    const sw::compiler::HostTransfer& transfer = program.infeeds[std::size_t(item.index)];
    if (transfer.in_place) continue;
    const base::Cycles copy = hw::host::host_copy_cycles(machine, transfer.bytes, transfer.tensors);
    waiting -= machine.core_clock().time_of(copy) * executed.times;
  }
  return result.step_time - std::max(waiting, base::Time(0));
}

report::run::LoopReport loop_report(const report::run::RunReport& report, const workloads::job::LoopPlan& plan,
                                    const noc::Topology& slice, base::Time evaluation_step_time,
                                    const base::Config& machine, bool recorded) {
  workloads::job::LoopParts parts;
  parts.plan = plan;
  parts.step = fed_step_time(report.program, report.result, report.machine);
  parts.evaluation_step = evaluation_step_time;
  if (plan.evaluation_steps > 0) parts.reduction = sw::runtime::all_reduce_time(report.machine, slice, metrics);
  const workloads::job::JobParameters job = workloads::job::read_job_parameters(machine);
  parts.launch = base::to_time(job.loop_launch);
  base::Bytes results = job.outfeed;
  for (const sw::compiler::HostTransfer& transfer : report.program.outfeeds) results += transfer.bytes;
  if (results > base::Bytes(0)) {
    const double of_chip = double(results.value()) * double(report.machine.cores_per_chip);
    parts.outfeed_transfer = base::to_time(base::Duration(of_chip / report.machine.host.pcie_rate.si()));
    parts.outfeed_handling = base::to_time(job.outfeed_handling);
    parts.outfeed_queue = report.machine.host.outfeed_queue_depth;
  }
  if (plan.checkpoint_steps > 0) {
    parts.save = base::to_time(report.checkpoint->to_host);
    parts.store = base::to_time(report.checkpoint->to_storage);
    parts.store_beside = job.checkpoint_beside;
  }
  parts.input = report.input;
  if (parts.input) {
    const hw::parts::host::Parameters& host = report.machine.host;
    const double bytes = double(report.core_batch.value()) * double(report.machine.cores_per_chip);
    parts.input->stages.push_back({"transfer", base::Duration(bytes / host.pcie_rate.si()), 0, parts.input->prefetch});
    parts.queue = host.infeed_queue_depth;
  }
  report::run::LoopReport loop{parts, {}, {}};
  loop.time = workloads::job::time_of_loop(parts, recorded ? &loop.record : nullptr);
  return loop;
}

}  // namespace podsim::app::run
