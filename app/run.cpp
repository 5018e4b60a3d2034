// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "app/arguments.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/module_file.h"
#include "app/output_folder.h"
#include "app/run_options.h"
#include "app/run_output.h"
#include "app/run_topology.h"
#include "app/slice.h"
#include "app/standard_output.h"
#include "app/trace_file.h"
#include "base/progress.h"
#include "sw/compiler/compile.h"
#include "sw/memory_account.h"
#include "sw/report/run_report.h"
#include "sw/runtime/bank_check.h"
#include "sw/runtime/simulation.h"
#include "workloads/workload.h"

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
  Run(const RunOptions& options, std::string command_line)
      : options_(options), command_line_(std::move(command_line)), config_(options.machine.load()) {}

  int execute() {
    HostClock::time_point begin = HostClock::now();
    const std::atomic<bool>& stop = watch_for_interrupt();
    report_.machine = hw::read_machine(config_);
    if (is_module_file(options_.workload)) read_workload_file();
    const noc::Topology slice = chosen_slice();
    const sw::Detail detail = chosen_detail();
    describe(slice, detail);
    if (!options_.output.empty()) folder_.emplace(options_.output);
    if (!options_.vcd.empty()) trace_.emplace(options_.vcd, options_.trace);
    compile(slice);
    report_.compile_s = seconds_since(begin);
    simulate(slice, detail, stop);
    report_.wall_s = seconds_since(begin);
    write_results();
    return report_.result.partial ? interrupted : done;
  }

 private:
  sw::Detail chosen_detail() const {
    sw::Detail detail = options_.vcd.empty() ? sw::Detail::replay : sw::Detail::tile;
    if (options_.detail)
      locate_errors("--detail", *options_.detail, [&] { detail = sw::parse_detail(*options_.detail); });
    return detail;
  }

  void read_workload_file() {
    if (options_.build.batch_per_core || options_.build.optimizer) {
      throw base::InputError(
          "--batch-per-core and --optimizer are for built-in workloads: the batch and the optimiser "
          "of a module are in its text");
    }
    module_ = read_module(options_.workload, report_.warnings);
  }

  noc::Topology chosen_slice() {
    report_.slice = options_.slice;
    if (options_.slice.empty()) report_.slice = module_ ? slice_for(devices(), report_.machine) : "4x4";
    noc::Topology slice = parse_slice(report_.slice, report_.machine);
    const std::int64_t cores = slice.nodes() * report_.machine.cores_per_chip;
    if (module_ && devices() > 1 && devices() != cores) {
      locate_errors("--slice", report_.slice, [&] {
        throw base::InputError(fmt::format("the module is for {} devices, this slice has {} cores", devices(), cores),
                               fmt::format("'--slice {}' has as many", slice_for(devices(), report_.machine)));
      });
    }
    return slice;
  }

  std::int64_t devices() const { return module_->replicas * module_->partitions; }

  void describe(const noc::Topology& slice, sw::Detail detail) {
    report_.workload = options_.workload;
    report_.detail = to_string(detail);
    report_.chips = slice.nodes();
  }

  void compile(const noc::Topology& slice) {
    if (module_) return compile_module();
    workloads::WorkloadOptions options = options_.build;
    options.replicas = slice.nodes() * report_.machine.cores_per_chip;
    workloads::Workload workload;
    locate_errors("workload", options_.workload,
                  [&] { workload = workloads::build_workload(options_.workload, options); });
    report_.batch_per_core = workload.samples / options.replicas;
    sw::Compilation compilation = compile(std::move(workload.step.module));
    report_.memory = sw::account_memory(compilation.fused, workload.step.donations);
    check_memory(compilation.fused);
    report_.program = std::move(compilation.program);
  }

  void compile_module() {
    sw::Compilation compilation = sw::compile(std::move(*module_), report_.machine);
    report_.memory = sw::account_memory(compilation.fused, compilation.fused.donations);
    if (report_.memory.peak > report_.machine.hbm.capacity_per_core) {
      throw base::SimulationError(
          fmt::format("out of memory: {}; {}", memory_needed(compilation.fused), largest_buffers()));
    }
    report_.program = std::move(compilation.program);
    report_.warnings.insert(report_.warnings.end(), report_.program.warnings.begin(), report_.program.warnings.end());
  }

  /// What the compiler cannot place is the input's fault: the batch, or the memory that the machine was given.
  sw::Compilation compile(sw::Module module) const {
    try {
      return sw::compile(std::move(module), report_.machine);
    } catch (const base::SimulationError& error) {
      reject_batch(error.what(), "a smaller --batch-per-core, or more 'core.vmem'");
    }
  }

  [[noreturn]] void reject_batch(const std::string& reason, const std::string& hint) const {
    std::string message = fmt::format("batch {} per core does not fit: {}", report_.batch_per_core, reason);
    if (!options_.build.batch_per_core) throw base::InputError(message, hint);
    std::string batch = std::to_string(report_.batch_per_core);
    locate_errors("--batch-per-core", batch, [&] { throw base::InputError(message, hint); });
    std::abort();  // not reached
  }

  void check_memory(const sw::Module& fused) const {
    if (report_.memory.peak > report_.machine.hbm.capacity_per_core) {
      reject_batch(memory_needed(fused), largest_buffers());
    }
  }

  std::string memory_needed(const sw::Module& fused) const {
    return fmt::format("the step needs {} of HBM per core at its peak (at {}), a {} core has {}",
                       base::to_string(report_.memory.peak),
                       fused.entry_computation()[report_.memory.peak_position].name, report_.machine.name,
                       base::to_string(report_.machine.hbm.capacity_per_core));
  }

  std::string largest_buffers() const {
    std::string largest;
    for (const sw::MemoryAccount::Buffer& buffer : report_.memory.largest_at_peak) {
      const std::string& name = buffer.op_name.empty() ? buffer.name : buffer.op_name;
      largest += fmt::format("{}{} {}", largest.empty() ? "" : ", ", name, base::to_string(buffer.bytes));
    }
    return "the largest buffers there: " + largest;
  }

  void simulate(const noc::Topology& slice, sw::Detail detail, const std::atomic<bool>& stop) {
    base::Progress progress("simulating");
    sw::SimulationOptions options;
    options.detail = detail;
    options.steps = options_.steps;
    options.fold = options_.fold;
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

  void write_results() const {
    if (folder_) write_run(folder_->path(), report_, {command_line_, config_, timeline_, traces_in_folder()});
    if (options_.json) {
      print_result(sw::run_json(report_));
    } else {
      print_result(fmt::format("{}\n{:.2f} s on this host, {:.2f} s of it compiling\n", sw::summary_text(report_),
                               report_.wall_s, report_.compile_s));
    }
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
  base::Config config_;
  sw::RunReport report_;
  std::optional<sw::Module> module_;  ///< of a file
  base::Timeline timeline_;
  std::optional<OutputFolder> folder_;
  std::optional<TraceFile> trace_;
};

std::string help_footer() {
  std::string text = "Workloads:\n";
  for (const workloads::WorkloadEntry& entry : workloads::workload_registry()) {
    text += fmt::format("  {:<23}{}\n", entry.name, entry.description);
  }
  return text + R"(
Examples:
  podsim run resnet50 --slice 4x4 --batch-per-core 128
  podsim run resnet50 --slice 128x32 --batch-per-core 8 --json
  podsim run step.hlo --slice 8x4 -o results
  podsim run topology.csv --convention scale-sim
  podsim run resnet50 --set ici.link_rate='1.3 Tb/s' --set hbm.channels=32
  podsim run resnet50 --slice 2x2 --batch-per-core 8 --vcd r.vcd --trace 'chip(0,0).*')";
}

/// The command as it could be given again; where results go and how they are printed is left out, so that equal runs
/// leave equal records.
std::string recorded_command_line(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bool folder = words[i] == "-o" || words[i] == "--output";
    i += folder ? 1 : 0;
    if (!folder && !words[i].starts_with("-o") && !words[i].starts_with("--output=") && words[i] != "--json") {
      kept.push_back(words[i]);
    }
  }
  return shell_line(kept);
}

void add_step_flags(CLI::App& run, RunOptions& options) {
  constexpr std::int64_t most_samples = 1 << 20, most_steps = 1'000'000;
  run.add_option_function<std::string>(
         "--batch-per-core",
         [&options](const std::string& text) {
           options.build.batch_per_core = parse_whole_number("--batch-per-core", text, 1, most_samples);
         },
         "Samples per core and step [the workload's own, 128]")
      ->option_text("N");
  run.add_option_function<std::string>(
         "--optimizer",
         [&options](const std::string& text) {
           std::vector<std::string> names;
           for (const auto& [name, kind] : workloads::optimizer_kinds()) names.push_back(name);
           std::size_t chosen = parse_choice("--optimizer", text, "an optimizer", names);
           options.build.optimizer = workloads::optimizer_kinds()[chosen].second;
         },
         "sgd_momentum, lars, adam, lamb or adafactor [the\nworkload's own]")
      ->option_text("NAME");
  run.add_option_function<std::string>(
         "--steps",
         [&options](const std::string& text) {
           options.steps = int(parse_whole_number("--steps", text, 1, most_steps));
         },
         "Steps to simulate; the last one is reported [2]")
      ->option_text("N");
}

void add_detail_flags(CLI::App& run, RunOptions& options) {
  run.add_option("--detail", options.detail,
                 "tile: every op on every core as a pipeline of tiles\n"
                 "replay: each distinct op once, its duration wherever it\nrecurs [replay; tile with --vcd]")
      ->option_text("LEVEL");
  run.add_option_function<std::string>(
         "--fold",
         [&options](const std::string& text) {
           options.fold = parse_choice("--fold", text, "on or off", {"on", "off"}) == 0;
         },
         "on: at replay detail, simulate chips that do the same at\nthe same time, and trips of loops that repeat "
         "themselves,\nonce; off: simulate all [on]")
      ->option_text("on|off");
  run.add_option_function<std::string>(
         "--memory",
         [&options](const std::string& text) {
           options.banks = parse_choice("--memory", text, "a level of the memory", {"stream", "bank"}) == 1;
         },
         "stream: HBM at the rates that its banks sustain;\nbank: the ten hottest ops once more, bank by bank [stream]")
      ->option_text("LEVEL");
}

void add_output_flags(CLI::App& run, RunOptions& options) {
  run.add_flag("--json", options.json, "One JSON object on stdout");
  run.add_option_function<std::string>(
         "-o,--output", [&options](const std::string& text) { options.output = parse_path("-o", text); },
         "Folder for the figures (stats.json, summary.txt), the ops\n(ops.csv), a timeline for ui.perfetto.dev and the "
         "machine")
      ->option_text("DIR");
  auto* vcd = run.add_option_function<std::string>(
      "--vcd", [&options](const std::string& text) { options.vcd = parse_path("--vcd", text); },
      "Waveform of the run, with a GTKWave save file (.gtkw)\nbeside it");
  vcd->option_text("FILE");
  run.add_option("--trace", options.trace,
                 "Signals in the waveform, such as 'chip(0,0).*' [all]; may\nbe repeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
}

}  // namespace

void add_run(CLI::App& program, const std::vector<std::string>& words, int& code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run = program.add_subcommand("run", "Simulate steps of a workload on a slice of chips")->group("Commands");
  run->add_option("WORKLOAD", options->workload,
                  "What to run: one of those below, a file of HLO text, or a\nSCALE-Sim topology (.csv), layer by "
                  "layer on one core")
      ->required()
      ->option_text(" ");
  run->add_option("--slice", options->slice,
                  "Chips per dimension, up to 128x32 on tpu-v3 [4x4; of a\nfile, as many cores as it has devices]")
      ->option_text("AxB");
  options->machine.add_machine_option(*run);
  options->machine.add_set_option(*run);
  add_step_flags(*run, *options);
  add_detail_flags(*run, *options);
  add_output_flags(*run, *options);
  add_topology_flags(*run, *options);
  run->footer(help_footer());
  run->callback([options, run, &words, &code] {
    check_topology_flags(*run, *options);
    code = is_topology_file(options->workload) ? run_topology(*options)
                                               : Run(*options, recorded_command_line(words)).execute();
  });
}

}  // namespace podsim::app
