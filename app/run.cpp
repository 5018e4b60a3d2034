// SPDX-License-Identifier: Apache-2.0
#include "app/run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "app/arguments.h"
#include "app/command_line.h"
#include "app/interrupt.h"
#include "app/module_file.h"
#include "app/output_folder.h"
#include "app/run_output.h"
#include "app/run_partition.h"
#include "app/slice.h"
#include "app/standard_output.h"
#include "app/trace_file.h"
#include "base/progress.h"
#include "sw/compiler/compile.h"
#include "sw/compiler/lowering.h"
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
      : options_(options),
        command_line_(std::move(command_line)),
        config_(options.machine.load()),
        partition_(options.partition, options.workload) {}

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
    if (!options_.build.model.empty()) {
      const auto& [key, value] = *options_.build.model.begin();
      locate_errors("--set", key + "=" + value,
                    [] { throw base::InputError("keys of a model are for built-in workloads"); });
    }
    module_ = read_module(options_.workload, report_.warnings);
  }

  noc::Topology chosen_slice() {
    report_.slice = options_.slice.empty() ? default_slice() : options_.slice;
    noc::Topology slice = parse_slice(report_.slice, report_.machine);
    const std::int64_t cores = slice.nodes() * report_.machine.cores_per_chip;
    partition_.check_slice(report_.slice, cores, report_.machine);
    if (module_ && !partition_.asked() && devices() > 1 && devices() != cores) {
      locate_errors("--slice", report_.slice, [&] {
        throw base::InputError(fmt::format("the module is for {} devices, this slice has {} cores", devices(), cores),
                               fmt::format("'--slice {}' has as many", slice_for(devices(), report_.machine)));
      });
    }
    return slice;
  }

  std::string default_slice() const {
    if (const auto cores = partition_.cores()) return slice_for(*cores, report_.machine);
    return module_ ? slice_for(devices(), report_.machine) : "4x4";
  }

  std::int64_t devices() const { return module_->replicas * module_->partitions; }

  void describe(const noc::Topology& slice, sw::Detail detail) {
    report_.workload = options_.workload;
    report_.detail = to_string(detail);
    report_.chips = slice.nodes();
  }

  void compile(const noc::Topology& slice) {
    const std::int64_t cores = slice.nodes() * report_.machine.cores_per_chip;
    if (module_) {
      const std::vector<sw::Donation> donations = module_->donations;
      return partition_.asked() ? compile_partitioned(*std::move(module_), donations, slice) : compile_module();
    }
    workloads::WorkloadOptions options = options_.build;
    options.replicas = cores;
    workloads::Workload workload;
    locate_errors("workload", options_.workload,
                  [&] { workload = workloads::build_workload(options_.workload, options); });
    partition_.take(workload, cores);
    if (workload.global || partition_.asked()) {
      return compile_partitioned(std::move(workload.step.module), workload.step.donations, slice);
    }
    report_.batch_per_core = workload.samples / options.replicas;
    sw::Compilation compilation = compile(std::move(workload.step.module));
    report_.memory = sw::account_memory(compilation.fused, workload.step.donations);
    check_memory(compilation.fused);
    report_.program = std::move(compilation.program);
  }

  void compile_module() {
    sw::Compilation compilation = sw::compile(std::move(*module_), report_.machine);
    report_.memory = sw::account_memory(compilation.fused, compilation.fused.donations);
    require_memory(compilation.fused);
    take_program(std::move(compilation.program));
  }

  void compile_partitioned(sw::Module module, const std::vector<sw::Donation>& donations, const noc::Topology& slice) {
    const std::int64_t cores = slice.nodes() * report_.machine.cores_per_chip;
    const sw::Module fused = partition_.partition(std::move(module), donations, cores, report_.machine);
    report_.memory = sw::account_memory(fused, donations);
    require_memory(fused);
    sw::Program program = sw::lower(fused, report_.machine);
    report_.partition = partition_.place(program, report_.machine, slice);
    take_program(std::move(program));
  }

  void take_program(sw::Program program) {
    report_.program = std::move(program);
    report_.warnings.insert(report_.warnings.end(), report_.program.warnings.begin(), report_.program.warnings.end());
  }

  void require_memory(const sw::Module& fused) const {
    if (report_.memory.peak <= report_.machine.hbm.capacity_per_core) return;
    throw base::SimulationError(fmt::format("out of memory: {}; {}", memory_needed(fused), largest_buffers()));
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
    if (options_.json) return print_result(sw::run_json(report_));
    std::string text = sw::summary_text(report_);
    if (report_.partition && options_.show_mesh) text += sw::mesh_text(report_.partition->placed.placement);
    text += fmt::format("\n{:.2f} s on this host, {:.2f} s of it compiling", report_.wall_s, report_.compile_s);
    if (report_.partition) text += fmt::format(", {:.2f} s of that partitioning", report_.partition->partition_s);
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
  base::Config config_;
  RunPartition partition_;
  sw::RunReport report_;
  std::optional<sw::Module> module_;  ///< of a file
  base::Timeline timeline_;
  std::optional<OutputFolder> folder_;
  std::optional<TraceFile> trace_;
};

}  // namespace

int run_workload(const RunOptions& options, std::string command_line) {
  return Run(options, std::move(command_line)).execute();
}

}  // namespace podsim::app
