// SPDX-License-Identifier: Apache-2.0
#include "app/run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "app/arguments.h"
#include "app/command_line.h"
#include "app/interrupt.h"
#include "app/output_folder.h"
#include "app/run_output.h"
#include "app/standard_output.h"
#include "app/trace_file.h"
#include "base/progress.h"
#include "sw/report/run_report.h"
#include "sw/runtime/bank_check.h"
#include "sw/runtime/simulation.h"

namespace podsim::app {
namespace {

using HostClock = std::chrono::steady_clock;
constexpr std::size_t ops_on_banks = 10;  ///< of --memory bank

double seconds_since(HostClock::time_point begin) {
  return std::chrono::duration<double>(HostClock::now() - begin).count();
}

/// One `podsim run`, step by step; everything that can be wrong with the input comes before the simulation.
class Run {
 public:
  Run(const RunOptions& options, std::string command_line, SharedWork shared)
      : options_(options),
        command_line_(std::move(command_line)),
        step_(std::move(shared.step)),
        op_cache_(shared.op_cache),
        config_(shared.machine ? *std::move(shared.machine) : options.machine.load()) {}

  int execute() {
    HostClock::time_point begin = HostClock::now();
    const std::atomic<bool>& stop = watch_for_interrupt();
    report_.machine = hw::read_machine(config_);
    std::optional<StepCompiler> compiler;
    if (!step_) compiler.emplace(options_, report_.machine);
    const noc::Topology slice = compiler ? compiler->slice() : *step_->slice;
    const sw::Detail detail = chosen_detail();
    describe(compiler ? compiler->slice_text() : step_->slice_text, slice, detail);
    open_op_cache();
    if (!options_.output.empty()) folder_.emplace(options_.output);
    if (!options_.vcd.empty()) trace_.emplace(options_.vcd, options_.trace);
    if (compiler) step_ = compiler->compile(op_cache_);
    step_->place(report_.machine);
    take(*std::move(step_));
    report_.compile_s = seconds_since(begin);
    simulate(slice, detail, stop);
    close_op_cache();
    report_.wall_s = seconds_since(begin);
    write_results(slice);
    return report_.result.partial ? interrupted : done;
  }

 private:
  sw::Detail chosen_detail() const {
    sw::Detail detail = options_.vcd.empty() ? sw::Detail::replay : sw::Detail::tile;
    if (options_.detail)
      locate_errors("--detail", *options_.detail, [&] { detail = sw::parse_detail(*options_.detail); });
    return detail;
  }

  void describe(const std::string& slice_text, const noc::Topology& slice, sw::Detail detail) {
    report_.workload = options_.workload;
    report_.slice = slice_text;
    report_.detail = to_string(detail);
    report_.chips = slice.nodes();
  }

  void take(CompiledStep step) {
    report_.program = std::move(step.program);
    report_.memory = std::move(step.memory);
    report_.batch_per_core = step.batch_per_core;
    report_.partition = std::move(step.partition);
    report_.warnings = std::move(step.warnings);
  }

  void open_op_cache() {
    if (options_.op_cache.empty() || op_cache_ != nullptr) return;
    locate_errors("--op-cache", options_.op_cache, [&] { op_cache_ = &own_op_cache_.emplace(options_.op_cache); });
  }

  void close_op_cache() {
    if (op_cache_ == nullptr) return;
    op_cache_->save();
    report_.op_cache = op_cache_->take_use();
    for (const std::string& warning : op_cache_->warnings()) fmt::print(stderr, "warning: {}\n", warning);
  }

  void simulate(const noc::Topology& slice, sw::Detail detail, const std::atomic<bool>& stop) {
    base::Progress progress("simulating");
    sw::SimulationOptions options;
    options.detail = detail;
    options.steps = options_.steps;
    options.op_cache = op_cache_;
    options.fold = options_.fold;
    options.algorithm = options_.algorithm;
    options.sink = trace_ ? &*trace_ : nullptr;
    options.timeline = options_.output.empty() ? nullptr : &timeline_;
    options.progress = [&](double fraction) { progress.update(fraction); };
    options.stop = &stop;
    sw::Simulation simulation(report_.program, report_.machine, slice, std::move(options));
    if (trace_) trace_->check_patterns();
    report_.result = simulation.run();
    if (report_.result.partial) {
      report_.warnings.push_back(fmt::format("interrupted in step {} of {}; the figures are of {}",
                                             report_.result.steps + 1, options_.steps,
                                             report_.result.steps > 0 ? "the last whole step" : "the part that ran"));
    }
    if (trace_) trace_->finish(simulation.now());
    if (options_.banks) {
      report_.result.banks = sw::check_on_banks(report_.machine, report_.program, report_.result, ops_on_banks);
    }
  }

  void write_results(const noc::Topology& slice) const {
    if (folder_) write_run(folder_->path(), report_, {command_line_, config_, slice, timeline_, traces_in_folder()});
    if (options_.json) return print_result(sw::run_json(report_));
    std::string text = sw::summary_text(report_);
    if (report_.partition && options_.show_mesh) text += sw::mesh_text(report_.partition->placed.placement);
    text += fmt::format("\n{:.2f} s on this host, {:.2f} s of it compiling", report_.wall_s, report_.compile_s);
    if (report_.partition) text += fmt::format(", {:.2f} s of that partitioning", report_.partition->partition_s);
    if (const auto& use = report_.op_cache) {
      text += fmt::format("; {} of {} costs of ops were known", use->hits, use->hits + use->misses);
    }
    print_result(text + "\n");
  }

  std::map<std::string, std::string> traces_in_folder() const {
    std::error_code ignored;
    bool inside = trace_ && std::filesystem::equivalent(trace_->vcd().parent_path(), folder_->path(), ignored);
    if (!inside) return {};
    return {{trace_->vcd().filename().string(), "the waveform"},
            {trace_->save_file().filename().string(), "how GTKWave shows it"}};
  }

  const RunOptions& options_;
  std::string command_line_;
  std::optional<CompiledStep> step_;  ///< until it is simulated
  std::optional<sw::OpCache> own_op_cache_;
  sw::OpCache* op_cache_;  ///< its own, another's or none
  base::Config config_;
  sw::RunReport report_;
  base::Timeline timeline_;
  std::optional<OutputFolder> folder_;
  std::optional<TraceFile> trace_;
};

}  // namespace

int run_workload(const RunOptions& options, std::string command_line, SharedWork shared) {
  return Run(options, std::move(command_line), std::move(shared)).execute();
}

}  // namespace podsim::app
