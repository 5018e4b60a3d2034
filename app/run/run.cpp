// SPDX-License-Identifier: Apache-2.0
#include "app/run/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "app/options/op_cache_option.h"
#include "app/output/trace_file.h"
#include "app/run/memory_advice.h"
#include "app/run/run_loop.h"
#include "app/run/run_output.h"
#include "app/run/run_train.h"
#include "base/host/exit_code.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_folder.h"
#include "base/host/standard_output.h"
#include "base/host/write_all.h"
#include "base/progress.h"
#include "report/run/energy_report.h"
#include "report/run/run_report.h"
#include "report/run/train_report.h"
#include "sw/runtime/bank_check.h"
#include "sw/runtime/session/healthy_run.h"
#include "sw/runtime/session/session.h"

namespace podsim::app::run {
namespace {

constexpr std::size_t ops_on_banks = 10;  ///< for --memory bank

/// One `podsim run`: prepared, simulated, written.
class Run {
 public:
  Run(const RunOptions& options, std::string command_line, SharedWork shared)
      : options_(options),
        command_line_(std::move(command_line)),
        advises_(shared.advises),
        op_cache_(shared.op_cache),
        run_(options, std::move(shared.machine), std::move(shared.step)) {}

  void execute() {
    prepare();
    simulate(base::host::watch_for_interrupt());
    close_op_cache();
    report_.wall_s = base::host::seconds_since(begin_);
  }
  const report::run::RunReport& reported() const { return report_; }

  void write() {
    base::host::write_all({[&] { print(); }, [&] { write_folder(); },
                           [&] {
                             if (trace_) trace_->finish(end_);
                           }});
  }

 private:
  void prepare() {
    if (op_cache_ == nullptr) op_cache_ = own_op_cache_.open();
    if (!options_.output.empty()) folder_.emplace(options_.output);
    if (!options_.vcd.empty()) trace_.emplace(options_.vcd, options_.trace);
    try {
      run_.compile(op_cache_);
    } catch (const sw::driver::OutOfMemory& error) {
      if (!advises_ || options_.operators.asked()) throw;
      const std::string advice = memory_advice(options_, report_.machine);
      std::vector<base::Diagnostic> diagnostics = error.diagnostics();
      diagnostics.push_back({base::Diagnostic::Severity::note,
                             advice.empty() ? "neither shards of the update nor a smaller batch would fit"
                                            : "what would fit, with estimates: " + advice,
                             {},
                             ""});
      throw sw::driver::OutOfMemory(std::move(diagnostics));
    }
    report_.compile_s = base::host::seconds_since(begin_);
  }

  void close_op_cache() {
    if (op_cache_ == nullptr) return;
    options::save_costs(*op_cache_);
    report_.op_cache = op_cache_->take_use();
  }

  void simulate(const std::atomic<bool>& stop) {
    base::Progress progress("simulating");
    sw::runtime::SimulationOptions options = run_.simulation_options();
    options.op_cache = op_cache_;
    options.sink = trace_ ? &*trace_ : nullptr;
    options.timeline = options_.output.empty() ? nullptr : &timeline_;
    options.progress = [&](double fraction) { progress.update(fraction); };
    options.stop = &stop;
    sw::runtime::session::Session session(report_.machine, run_.slice(), std::move(options));
    const int step = session.add(report_.program);
    session.load(step);
    if (trace_) trace_->check_patterns();
    report_.result = session.run({.program = step, .steps = options_.steps}).result;
    if (report_.faults && !report_.result.partial) compare_with_healthy(stop);
    if (report_.result.partial) warn_of_interruption();
    const std::optional<base::Time> evaluation = evaluation_step(session);
    session.settle();
    end_ = session.now();
    if (options_.banks && !report_.result.partial) {
      report_.result.banks =
          sw::runtime::check_on_banks(report_.machine, report_.program, report_.result, ops_on_banks);
    }
    base::host::protect_results();
    report_loop(evaluation);
  }

  /// The same steps on a slice without faults.
  void compare_with_healthy(const std::atomic<bool>& stop) {
    const auto chip = noc::NodeId(report_.result.reported_core / report_.machine.cores_per_chip);
    report_.faults->chip = run_.slice().name(chip);
    sw::runtime::SimulationOptions options = run_.simulation_options();
    options.op_cache = op_cache_;
    options.stop = &stop;
    sw::runtime::RunResult healthy = sw::runtime::session::run_healthy(report_.machine, run_.slice(), report_.program,
                                                                       std::move(options), options_.steps);
    if (healthy.partial) {
      report_.result.partial = true;
      report_.warnings.emplace_back(base::host::Interrupted("on the slice without faults").what());
      return;
    }
    sw::runtime::session::hold_to_healthy(report_.result, healthy);
    report_.faults->healthy = std::move(healthy);
  }

  void warn_of_interruption() {
    const base::host::Interrupted interruption(
        fmt::format("in step {} of {}", report_.result.steps + 1, options_.steps));
    report_.warnings.push_back(fmt::format("{}; the figures are of {}", interruption.what(),
                                           report_.result.steps > 0 ? "the last whole step" : "the part that ran"));
  }

  /// The time of an evaluation step behind the training steps, with its batch ready: the second of two. std::nullopt if
  /// an interruption left no time for it.
  std::optional<base::Time> evaluation_step(sw::runtime::session::Session& session) {
    const auto& program = run_.evaluation();
    if (!program) return base::Time(0);
    if (report_.result.partial) return std::nullopt;
    const sw::runtime::RunResult result =
        session.run({.program = session.add(*program), .steps = 2, .name = "evaluation step"}).result;
    if (!result.partial) return fed_step_time(*program, result, report_.machine);
    report_.result.partial = true;
    report_.warnings.emplace_back(base::host::Interrupted("in the evaluation").what());
    return std::nullopt;
  }

  void report_loop(std::optional<base::Time> evaluation) {
    const auto& loop = run_.loop();
    if (!loop || !evaluation || report_.is_part_of_step()) return;
    report_.loop = loop_report(report_, *loop, run_.slice(), *evaluation, run_.config(), folder_.has_value());
    if (!options_.train) return;
    const std::int64_t evaluation_ops = run_.evaluation() ? std::int64_t(run_.evaluation()->items.size()) : 0;
    report_.training = training_report(report_, options_, evaluation_ops, run_.config());
  }

  void write_folder() {
    if (!folder_) return;
    report::run::add_power(report_, timeline_);
    write_run(folder_->path(), report_, {command_line_, run_.config(), run_.slice(), timeline_, other_files()});
    if (options_.chakra) write_traces(folder_->path(), report_, run_.slice());
  }

  void print() const {
    if (report_.training) {
      return base::host::print_result(options_.json ? report::run::train_json(report_)
                                                    : report::run::train_text(report_));
    }
    if (options_.json) return base::host::print_result(report::run::run_json(report_));
    std::string text = report::run::summary_text(report_);
    if (report_.partition && options_.show_mesh) text += report::run::mesh_text(report_.partition->placed.placement);
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

  const base::host::HostClock::time_point begin_ = base::host::HostClock::now();
  const RunOptions& options_;
  std::string command_line_;
  options::OpCacheOption own_op_cache_{options_.op_cache};
  bool advises_;                     ///< what would fit, if it does not fit the memory
  sw::compiler::OpCache* op_cache_;  ///< that of own_op_cache_, the caller's, or nullptr
  PreparedRun run_;
  report::run::RunReport& report_ = run_.report();
  base::trace::Timeline timeline_;
  std::optional<base::host::OutputFolder> folder_;
  std::optional<output::TraceFile> trace_;
  base::Time end_;  ///< of the simulation
};

}  // namespace

int run_workload(const RunOptions& options, std::string command_line, SharedWork shared) {
  base::host::throw_on_interrupt();
  Run run(options, std::move(command_line), std::move(shared));
  run.execute();
  run.write();
  return run.reported().result.partial ? base::host::interruption_code() : base::host::done;
}

report::run::RunReport run_report(const RunOptions& options) {
  base::host::throw_on_interrupt();
  Run run(options, "", {});
  run.execute();
  if (run.reported().result.partial) throw base::host::Interrupted("in its simulation");
  return run.reported();
}

std::string run_figures(const RunOptions& options) { return report::run::run_json(run_report(options)); }

}  // namespace podsim::app::run
