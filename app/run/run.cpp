// SPDX-License-Identifier: Apache-2.0
#include "app/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "app/options/keys_without_effect.h"
#include "app/output/trace_file.h"
#include "app/run/run_loop.h"
#include "app/run/run_output.h"
#include "app/run/run_train.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_folder.h"
#include "base/host/standard_output.h"
#include "base/host/write_all.h"
#include "base/progress.h"
#include "base/text/glob.h"
#include "sw/compiler/host_batch.h"
#include "sw/report/run/run_report.h"
#include "sw/report/run/train_report.h"
#include "sw/runtime/bank_check.h"
#include "sw/runtime/simulation.h"

namespace podsim::app::run {
namespace {

constexpr std::size_t ops_on_banks = 10;  ///< for --memory bank

/// One `podsim run`, step by step. All errors of the input are found before the simulation.
class Run {
 public:
  Run(const RunOptions& options, std::string command_line, SharedWork shared)
      : options_(options),
        command_line_(std::move(command_line)),
        step_(std::move(shared.step)),
        op_cache_(shared.op_cache),
        config_(shared.machine ? *std::move(shared.machine) : options.machine.load()) {}

  int execute() {
    base::host::HostClock::time_point begin = base::host::HostClock::now();
    base::host::throw_on_interrupt();
    report_.machine = hw::read_machine(config_);
    std::optional<StepCompiler> compiler;
    if (!step_) compiler.emplace(options_, report_.machine);
    const noc::Topology slice = compiler ? compiler->slice() : *step_->slice;
    const sw::runtime::Detail detail = chosen_detail();
    check_real_chips(slice);
    describe(compiler ? compiler->slice_text() : step_->slice_text, slice, detail);
    open_op_cache();
    if (!options_.output.empty()) folder_.emplace(options_.output);
    if (!options_.vcd.empty()) trace_.emplace(options_.vcd, options_.trace);
    if (compiler) step_ = compiler->compile(op_cache_);
    step_->place(report_.machine);
    take(*std::move(step_), slice);
    loop_ = options_.train ? training_loop(report_, options_) : options_.loop;
    if (saves()) plan_checkpoint(report_, state_, config_);
    if (loop_ && loop_->evaluation_steps > 0) {
      evaluation_ = evaluation_step(options_, report_.machine, slice, op_cache_);
    }
    report_.compile_s = base::host::seconds_since(begin);
    check_chip_ops();
    simulate(slice, detail, base::host::watch_for_interrupt());
    close_op_cache();
    report_.wall_s = base::host::seconds_since(begin);
    write_results(slice);
    return report_.result.partial ? base::host::interruption_code() : base::host::done;
  }

 private:
  sw::runtime::Detail chosen_detail() const {
    sw::runtime::Detail detail = sw::runtime::Detail::automatic;
    if (options_.detail)
      base::host::locate_errors("--detail", *options_.detail,
                                [&] { detail = sw::runtime::parse_detail(*options_.detail); });
    if (detail != sw::runtime::Detail::automatic && !options_.real.empty()) {
      throw base::InputError("--real chooses chips at detail auto", "leave out --detail");
    }
    if (detail != sw::runtime::Detail::chip && !options_.chip_ops.empty()) {
      throw base::InputError("--chip-ops chooses ops at detail chip", "add --detail chip");
    }
    if (detail == sw::runtime::Detail::chip && !options_.contention) {
      throw base::InputError("transfers share the banks of a chip at detail chip", "leave out --contention off");
    }
    return detail;
  }

  void check_real_chips(const noc::Topology& slice) const {
    std::vector<std::string> names;
    for (noc::NodeId chip = 0; chip < slice.nodes(); ++chip) names.push_back("chip" + slice.name(chip));
    for (const std::string& pattern : options_.real) {
      const auto matches = [&](const std::string& name) { return base::text::glob_match(pattern, name); };
      if (std::ranges::any_of(names, matches)) continue;
      throw base::InputError(
          {base::Diagnostic::Severity::error, fmt::format("'{}' matches no chip of the slice", pattern),
           base::host::argument_location("--real", pattern),
           fmt::format("chips are called {} to {}; '*' stands for any characters", names.front(), names.back())});
    }
  }

  void check_chip_ops() const {
    for (const std::string& pattern : options_.chip_ops) {
      base::host::locate_errors("--chip-ops", pattern,
                                [&] { const sw::runtime::ChipParts chosen(report_.program, {pattern}); });
    }
  }

  void describe(const std::string& slice_text, const noc::Topology& slice, sw::runtime::Detail detail) {
    report_.workload = options_.workload + (options_.build.inference ? " inference" : "");
    report_.slice = slice_text;
    report_.detail = sw::runtime::to_string(detail);
    report_.chips = slice.nodes();
  }

  void take(CompiledStep compiled, const noc::Topology& slice) {
    sw::driver::Step& step = compiled.step;
    report_.program = std::move(step.program);
    const base::Bytes batch = core_batch(report_.program, step.batch);
    if (report_.machine.host.batch_interval.si() > 0 || options_.input.value_or(false)) {
      sw::compiler::wait_for_batch(report_.program, step.batch);
    }
    report_.memory = std::move(step.memory);
    report_.batch_per_core = compiled.batch_per_core;
    report_.partition = std::move(compiled.partition);
    report_.warnings = std::move(step.warnings);
    state_ = std::move(step.state);
    const bool fed = options_.input.value_or(options_.loop || options_.train);
    if (fed) plan_input(report_, slice, batch, config_);
    using enum hw::KeyLevel;
    std::vector<hw::KeyLevel> levels{ops, collectives};
    if (fed) levels.push_back(inputs);
    if (options_.loop || options_.train) levels.push_back(jobs);
    if (options_.train) levels.push_back(starts);
    if (saves()) levels.push_back(checkpoints);
    if (options_.banks) levels.push_back(banks);
    if (report_.detail == "chip") levels.insert(levels.end(), {banks, chip});
    const std::vector<std::string> unread = options::keys_without_effect(config_, levels);
    report_.warnings.insert(report_.warnings.end(), unread.begin(), unread.end());
  }

  /// Whether the job saves checkpoints or begins with one.
  bool saves() const {
    const bool in_loop = options_.loop && options_.loop->checkpoint_steps > 0;
    return in_loop || (options_.train && (options_.train->checkpoint_steps > 0 || options_.train->restore));
  }

  void open_op_cache() {
    if (options_.op_cache.empty() || op_cache_ != nullptr) return;
    base::host::locate_errors("--op-cache", options_.op_cache,
                              [&] { op_cache_ = &own_op_cache_.emplace(options_.op_cache); });
  }

  void close_op_cache() {
    if (op_cache_ == nullptr) return;
    op_cache_->save();
    report_.op_cache = op_cache_->take_use();
    for (const std::string& warning : op_cache_->warnings()) base::host::print_warning(warning);
  }

  void simulate(const noc::Topology& slice, sw::runtime::Detail detail, const std::atomic<bool>& stop) {
    base::Progress progress("simulating");
    sw::runtime::SimulationOptions options;
    options.detail = detail;
    options.real = options_.real;
    options.chip_ops = options_.chip_ops;
    options.steps = options_.steps;
    options.op_cache = op_cache_;
    options.fold = options_.fold;
    options.contention = options_.contention;
    options.algorithm = options_.algorithm;
    if (options_.input.value_or(false)) options.input = report_.input;
    options.sink = trace_ ? &*trace_ : nullptr;
    options.timeline = options_.output.empty() ? nullptr : &timeline_;
    options.progress = [&](double fraction) { progress.update(fraction); };
    options.stop = &stop;
    sw::runtime::Simulation simulation(report_.program, report_.machine, slice, std::move(options));
    if (trace_) trace_->check_patterns();
    report_.result = simulation.run();
    if (report_.result.partial) {
      const base::host::Interrupted interruption(
          fmt::format("in step {} of {}", report_.result.steps + 1, options_.steps));
      report_.warnings.push_back(fmt::format("{}; the figures are of {}", interruption.what(),
                                             report_.result.steps > 0 ? "the last whole step" : "the part that ran"));
    }
    end_ = simulation.now();
    if (options_.banks && !report_.result.partial) {
      report_.result.banks =
          sw::runtime::check_on_banks(report_.machine, report_.program, report_.result, ops_on_banks);
    }
    base::host::protect_results();
    if (loop_ && !report_.is_part_of_step()) {
      report_.loop = loop_report(report_, *loop_, slice, evaluation_.time, config_, folder_.has_value());
      if (options_.train) report_.training = training_report(report_, options_, evaluation_.ops, config_);
    }
  }

  void write_results(const noc::Topology& slice) {
    base::host::write_all({[&] { print(); }, [&] { write_folder(slice); },
                           [&] {
                             if (trace_) trace_->finish(end_);
                           }});
  }

  void write_folder(const noc::Topology& slice) const {
    if (!folder_) return;
    write_run(folder_->path(), report_, {command_line_, config_, slice, timeline_, other_files()});
    if (options_.chakra) write_traces(folder_->path(), report_, slice);
  }

  void print() const {
    if (report_.training) {
      return base::host::print_result(options_.json ? sw::report::run::train_json(report_)
                                                    : sw::report::run::train_text(report_));
    }
    if (options_.json) return base::host::print_result(sw::report::run::run_json(report_));
    std::string text = sw::report::run::summary_text(report_);
    if (report_.partition && options_.show_mesh)
      text += sw::report::run::mesh_text(report_.partition->placed.placement);
    text += fmt::format("\n{:.2f} s on this host, {:.2f} s of it compiling", report_.wall_s, report_.compile_s);
    if (report_.partition) text += fmt::format(", {:.2f} s of that partitioning", report_.partition->partition_s);
    if (const auto& use = report_.op_cache) {
      text += fmt::format("; {} of {} costs of ops were known", use->hits, use->hits + use->misses);
    }
    base::host::print_result(text + "\n");
  }

  std::map<std::string, std::string> other_files() const {
    std::map<std::string, std::string> files;
    if (options_.chakra) files["chakra/"] = "an execution trace of the last step for each core (podsim trace check)";
    std::error_code ignored;
    if (trace_ &&
        std::filesystem::equivalent(std::filesystem::absolute(trace_->vcd()).parent_path(), folder_->path(), ignored)) {
      files[trace_->vcd().filename().string()] = "the waveform";
      files[trace_->save_file().filename().string()] = "how GTKWave shows it";
    }
    return files;
  }

  const RunOptions& options_;
  std::string command_line_;
  std::optional<CompiledStep> step_;  ///< empty once the report has taken it
  std::optional<sw::compiler::OpCache> own_op_cache_;
  sw::compiler::OpCache* op_cache_;  ///< own_op_cache_, the caller's, or nullptr
  base::Config config_;
  sw::report::run::RunReport report_;
  base::trace::Timeline timeline_;
  std::optional<base::host::OutputFolder> folder_;
  std::optional<output::TraceFile> trace_;
  std::vector<sw::job::StateArray> state_;
  std::optional<sw::job::LoopPlan> loop_;
  EvaluationStep evaluation_;
  base::Time end_;  ///< of the simulation
};

}  // namespace

int run_workload(const RunOptions& options, std::string command_line, SharedWork shared) {
  return Run(options, std::move(command_line), std::move(shared)).execute();
}

}  // namespace podsim::app::run
