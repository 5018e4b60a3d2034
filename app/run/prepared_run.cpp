// SPDX-License-Identifier: Apache-2.0
#include "app/run/prepared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/options/keys_without_effect.h"
#include "app/run/run_loop.h"
#include "app/run/run_train.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/text/glob.h"
#include "sw/compiler/host_batch.h"
#include "sw/runtime/chip_parts.h"

namespace podsim::app::run {
namespace {

sw::runtime::Detail chosen_detail(const RunOptions& options) {
  sw::runtime::Detail detail = sw::runtime::Detail::automatic;
  if (options.detail)
    base::host::locate_errors("--detail", *options.detail,
                              [&] { detail = sw::runtime::parse_detail(*options.detail); });
  if (detail != sw::runtime::Detail::automatic && !options.real.empty()) {
    throw base::InputError("--real chooses chips at detail auto", "leave out --detail");
  }
  if (detail != sw::runtime::Detail::chip && !options.chip_ops.empty()) {
    throw base::InputError("--chip-ops chooses ops at detail chip", "add --detail chip");
  }
  if (options.one_chip && !options.real.empty()) {
    throw base::InputError("--real chooses a chip, with --fold all there is one", "leave out --real");
  }
  if (options.one_chip && (detail == sw::runtime::Detail::tile || detail == sw::runtime::Detail::chip)) {
    throw base::InputError("--fold all simulates no transfers of chips", "--detail auto or replay");
  }
  if (options.one_chip && !options.faults.faults.empty()) {
    throw base::InputError("on a slice with faults no chip stands for all", "leave out --fold all");
  }
  if (detail == sw::runtime::Detail::chip && !options.contention) {
    throw base::InputError("transfers share the banks of a chip at detail chip", "leave out --contention off");
  }
  return detail;
}

}  // namespace

PreparedRun::PreparedRun(const RunOptions& options, std::optional<base::Config> machine,
                         std::optional<CompiledStep> step)
    : options_(options), config_(machine ? *std::move(machine) : options.machine.load()), step_(std::move(step)) {
  report_.machine = sw::read_target(config_);
  if (!step_) compiler_.emplace(options_, report_.machine);
  slice_ = compiler_ ? compiler_->slice() : *step_->slice;
  detail_ = chosen_detail(options_);
  check_real_chips();
  check_faults();
  report_.workload = options_.workload + (options_.build.decode      ? " decode"
                                          : options_.build.inference ? " inference"
                                                                     : "");
  report_.slice = compiler_ ? compiler_->slice_text() : step_->slice_text;
  report_.detail = sw::runtime::to_string(detail_);
  report_.compiler = options_.compiler_as_set();
  report_.chips = slice_->nodes();
}

void PreparedRun::compile(sw::compiler::OpCache* cache) {
  if (compiler_) step_ = compiler_->compile(cache);
  compiler_.reset();
  step_->place(report_.machine);
  take(*std::move(step_));
  step_.reset();
  loop_ = options_.train ? training_loop(report_, options_) : options_.loop;
  if (saves()) plan_checkpoint(report_, state_, config_);
  if (loop_ && loop_->evaluation_steps > 0) {
    evaluation_ = evaluation_program(options_, report_.machine, cache);
  }
  check_chip_ops();
}

void PreparedRun::check_real_chips() const {
  std::vector<std::string> names;
  for (noc::NodeId chip = 0; chip < slice_->nodes(); ++chip) names.push_back("chip" + slice_->name(chip));
  for (const std::string& pattern : options_.real) {
    const auto matches = [&](const std::string& name) { return base::text::glob_match(pattern, name); };
    if (std::ranges::any_of(names, matches)) continue;
    throw base::InputError(
        {base::Diagnostic::Severity::error, fmt::format("'{}' matches no chip of the slice", pattern),
         base::host::argument_location("--real", pattern),
         fmt::format("chips are called {} to {}; '*' stands for any characters", names.front(), names.back())});
  }
}

void PreparedRun::check_chip_ops() const {
  for (const std::string& pattern : options_.chip_ops) {
    base::host::locate_errors("--chip-ops", pattern, [&] { sw::runtime::ChipParts::check(report_.program, pattern); });
  }
}

void PreparedRun::check_faults() {
  const std::vector<noc::Fault>& faults = options_.faults.faults;
  if (faults.empty()) return;
  faults_ = options::resolve_faults(options_.faults, *slice_, report_.machine.pod.host_chips);
  options::refuse_dead_chips(options_.faults, faults_, *slice_);
  const auto slow_host = std::ranges::find(faults, noc::Fault::Kind::slow_host, &noc::Fault::kind);
  if (slow_host != faults.end() && !fed()) {
    options::refuse_slow_host(*slow_host, "every batch is ready", "add --input on");
  }
  if (detail_ == sw::runtime::Detail::chip && !faults_.chip_speed(0).healthy()) {
    throw base::InputError("at detail chip the first chip is simulated by its parts, which have one speed",
                           "leave out --detail chip, or the fault of that chip");
  }
  report_.faults.emplace();
  for (const noc::Fault& fault : faults) {
    report_.faults->faults.push_back(noc::to_string(fault));
    expect_largest(fault);
  }
}

/// Whether hosts prepare batches, of the step or of its loop.
bool PreparedRun::fed() const { return options_.input.value_or(options_.loop || options_.train); }

/// Whether the job saves checkpoints or begins with one.
bool PreparedRun::saves() const {
  const bool in_loop = options_.loop && options_.loop->checkpoint_steps > 0;
  return in_loop || (options_.train && (options_.train->checkpoint_steps > 0 || options_.train->restore));
}

void PreparedRun::take(CompiledStep compiled) {
  sw::driver::Step& step = compiled.step;
  report_.program = std::move(step.program);
  const base::Bytes batch = core_batch(report_.program, step.batch);
  if (report_.machine.host.batch_interval.si() > 0 || options_.input.value_or(false)) {
    sw::compiler::wait_for_batch(report_.program, step.batch);
  }
  report_.memory = std::move(step.memory);
  report_.batch_per_core = compiled.batch_per_core;
  report_.partition = std::move(compiled.partition);
  report_.update_choice = std::move(compiled.update_choice);
  report_.operators = std::move(compiled.operators);
  report_.warnings = std::move(step.warnings);
  state_ = std::move(step.state);
  if (fed()) {
    plan_input(report_, *slice_, batch, config_);
    report_.input->speeds = host_speeds();
  }
  warn_of_unread_keys();
}

/// What the law of extremes says of a fault that is drawn.
void PreparedRun::expect_largest(const noc::Fault& fault) {
  using enum noc::Fault::Kind;
  if (fault.kind != jitter && fault.kind != host_jitter && fault.kind != speeds) return;
  const std::int64_t chips = slice_->nodes(), host_chips = report_.machine.pod.host_chips;
  report::run::ExpectedLargest of{.fault = noc::to_string(fault), .of_hosts = fault.kind == host_jitter};
  of.draws = of.of_hosts ? noc::HostBoxes(*slice_, host_chips).hosts() : chips;
  const double largest = fault.value * noc::mean_of_largest(fault.distribution, of.draws);
  (fault.kind == speeds ? of.longer : of.delay_s) = largest;
  report_.faults->expected.push_back(std::move(of));
}

/// By host; none if all are healthy.
std::vector<double> PreparedRun::host_speeds() const {
  std::vector<double> speeds;
  for (std::int64_t host = 0; host < report_.input->hosts; ++host) speeds.push_back(faults_.host_speed(host));
  const bool healthy = std::ranges::all_of(speeds, [](double speed) { return speed == 1; });
  return healthy ? std::vector<double>() : speeds;
}

void PreparedRun::warn_of_unread_keys() {
  using enum base::parameters::KeyLevel;
  std::vector<base::parameters::KeyLevel> levels{ops, collectives, watts};
  if (fed()) levels.push_back(inputs);
  if (options_.loop || options_.train) levels.push_back(jobs);
  if (options_.train) levels.push_back(starts);
  if (saves()) levels.push_back(checkpoints);
  if (options_.train && options_.train->fails) levels.push_back(failures);
  if (options_.banks) levels.push_back(banks);
  if (detail_ == sw::runtime::Detail::chip) levels.insert(levels.end(), {banks, chip});
  const std::vector<std::string> unread = options::keys_without_effect(config_, levels);
  report_.warnings.insert(report_.warnings.end(), unread.begin(), unread.end());
}

sw::runtime::SimulationOptions PreparedRun::simulation_options() const {
  sw::runtime::SimulationOptions options;
  options.detail = detail_;
  options.real = options_.real;
  options.chip_ops = options_.chip_ops;
  options.fold = options_.fold;
  options.one_chip = options_.one_chip;
  options.contention = options_.contention;
  options.algorithm = options_.algorithm;
  if (report_.partition) options.collective_times = report_.partition->placed.times;
  if (options_.input.value_or(false)) options.input = report_.input;
  options.faults = faults_;
  options.estimates = faults_.none();
  return options;
}

}  // namespace podsim::app::run
