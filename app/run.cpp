// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/run_options.h"
#include "app/run_output.h"
#include "app/slice.h"
#include "base/atomic_file.h"
#include "base/gtkw_writer.h"
#include "base/progress.h"
#include "base/vcd_writer.h"
#include "sw/compiler/compile.h"
#include "sw/memory_account.h"
#include "sw/report/run_report.h"
#include "sw/runtime/simulation.h"
#include "workloads/workload.h"

namespace podsim::app {
namespace {

using HostClock = std::chrono::steady_clock;

double seconds_since(HostClock::time_point begin) {
  return std::chrono::duration<double>(HostClock::now() - begin).count();
}

/// One `podsim run`, step by step; everything that can be wrong with the input comes before the simulation.
class Run {
 public:
  Run(const RunOptions& options, std::string command_line)
      : options_(options), command_line_(std::move(command_line)), config_(options.machine.load()) {}

  int execute() {
    HostClock::time_point begin = HostClock::now();
    report_.machine = hw::read_machine(config_);
    const noc::Topology slice = parse_slice(options_.slice, report_.machine);
    const sw::Detail detail = chosen_detail();
    describe(slice, detail);
    compile(slice);
    if (!options_.output.empty()) prepare_output_folder(options_.output);
    open_trace();
    report_.compile_s = seconds_since(begin);
    simulate(slice, detail);
    report_.wall_s = seconds_since(begin);
    write_results();
    return report_.result.partial ? interrupted : done;
  }

 private:
  sw::Detail chosen_detail() const {
    if (!options_.detail.empty()) return sw::parse_detail(options_.detail);
    return options_.vcd.empty() ? sw::Detail::replay : sw::Detail::tile;
  }

  void describe(const noc::Topology& slice, sw::Detail detail) {
    report_.workload = options_.workload;
    report_.slice = options_.slice;
    report_.detail = to_string(detail);
    report_.chips = slice.nodes();
  }

  void compile(const noc::Topology& slice) {
    workloads::WorkloadOptions options = options_.build;
    options.replicas = slice.nodes() * report_.machine.cores_per_chip;
    workloads::Workload workload = workloads::build_workload(options_.workload, options);
    report_.batch_per_core = workload.samples_per_core;
    sw::Compilation compilation = sw::compile(std::move(workload.step.module), report_.machine);
    report_.memory = sw::account_memory(compilation.fused, workload.step.donations);
    check_memory(compilation.fused);
    report_.program = std::move(compilation.program);
  }

  void check_memory(const sw::Module& fused) const {
    base::Bytes capacity = report_.machine.hbm.capacity_per_core;
    if (report_.memory.peak <= capacity) return;
    std::string largest;
    for (const sw::MemoryAccount::Buffer& buffer : report_.memory.largest_at_peak) {
      const std::string& name = buffer.op_name.empty() ? buffer.name : buffer.op_name;
      largest += fmt::format("{}{} {}", largest.empty() ? "" : ", ", name, base::to_string(buffer.bytes));
    }
    throw base::InputError(
        fmt::format(
            "batch {} per core does not fit: the step needs {} of HBM per core at its peak (at {}), a {} core has {}",
            report_.batch_per_core, base::to_string(report_.memory.peak),
            fused.entry_computation()[report_.memory.peak_position].name, report_.machine.name,
            base::to_string(capacity)),
        "the largest buffers there: " + largest);
  }

  void open_trace() {
    if (!options_.vcd.empty()) trace_.emplace(options_.vcd, options_.trace);
  }

  void simulate(const noc::Topology& slice, sw::Detail detail) {
    base::Progress progress("simulating");
    sw::SimulationOptions options;
    options.detail = detail;
    options.steps = options_.steps;
    options.fold = options_.fold;
    options.sink = trace_ ? &*trace_ : nullptr;
    options.timeline = options_.output.empty() ? nullptr : &timeline_;
    options.progress = [&](double fraction) { progress.update(fraction); };
    options.stop = &watch_for_interrupt();
    sw::Simulation simulation(report_.program, report_.machine, slice, std::move(options));
    report_.result = simulation.run();
    if (trace_) finish_trace(simulation.now());
  }

  void finish_trace(base::Time end) {
    for (const std::string& pattern : trace_->unmatched_patterns()) {
      report_.warnings.push_back("--trace '" + pattern + "' matches no signal");
    }
    trace_->finish(end);
    std::filesystem::path vcd = options_.vcd;
    std::filesystem::path save = vcd;
    save.replace_extension(".gtkw");
    base::write_file(save, base::gtkw_text(vcd.string(), trace_->signals(), end));
  }

  void write_results() const {
    if (!options_.output.empty()) write_run(options_.output, report_, timeline_, config_, command_line_);
    if (options_.json) {
      fmt::print("{}", sw::run_json(report_));
    } else {
      fmt::print("{}\n{:.2f} s on this host, {:.2f} s of it compiling\n", sw::summary_text(report_), report_.wall_s,
                 report_.compile_s);
    }
  }

  const RunOptions& options_;
  std::string command_line_;
  base::Config config_;
  sw::RunReport report_;
  base::Timeline timeline_;
  std::optional<base::VcdWriter> trace_;
};

std::string workload_help() {
  std::string help = "Workload:";
  for (const workloads::WorkloadEntry& entry : workloads::workload_registry()) {
    help += "\n  " + entry.name + "  " + entry.description;
  }
  return help;
}

}  // namespace

void add_run(CLI::App& program, int& code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run = program.add_subcommand("run", "Simulate training steps of a workload on a slice of chips");
  run->add_option("WORKLOAD", options->workload, workload_help())->required();
  run->add_option("--slice", options->slice, "Chips per dimension")->capture_default_str();
  options->machine.add_machine_option(*run);
  options->machine.add_set_option(*run);
  run->add_option("--batch-per-core", options->build.batch_per_core, "Samples per core and step [the workload's own]")
      ->check(CLI::PositiveNumber);
  run->add_option("--optimizer", options->build.optimizer, "sgd_momentum or lars [the workload's own]")
      ->transform(CLI::CheckedTransformer(std::map<std::string, workloads::OptimizerKind>{
                                              {"sgd_momentum", workloads::OptimizerKind::sgd_momentum},
                                              {"lars", workloads::OptimizerKind::lars}})
                      .description(""));
  run->add_option("--detail", options->detail,
                  "tile: every op on every core as a pipeline of tiles; replay: each distinct op once [replay; tile "
                  "with --vcd]");
  run->add_option("--steps", options->steps, "Steps to simulate; the last one is reported")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  run->add_option("--fold", options->fold, "Simulate chips that do the same at the same time once: on, off [on]")
      ->transform(CLI::CheckedTransformer(std::map<std::string, bool>{{"on", true}, {"off", false}}).description(""));
  run->add_flag("--json", options->json, "One JSON object on stdout");
  run->add_option("-o,--output", options->output, "Folder for stats, op table and timeline");
  auto* vcd = run->add_option("--vcd", options->vcd, "Write a waveform, and a GTKWave save file (.gtkw) beside it");
  run->add_option("--trace", options->trace, "Signals in the waveform, such as 'chip(0,0).*' [all]; may be repeated")
      ->needs(vcd)
      ->allow_extra_args(false);
  run->callback(
      [options, &code, &program] { code = Run(*options, program.get_name() + " run " + options->workload).execute(); });
}

}  // namespace podsim::app
