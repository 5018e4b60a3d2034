// SPDX-License-Identifier: Apache-2.0
#include "app/kernel_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <chrono>
#include <optional>

#include "app/arguments.h"
#include "app/failed_check.h"
#include "app/input_file.h"
#include "app/standard_output.h"
#include "app/trace_file.h"
#include "base/atomic_file.h"
#include "hw/isa/assembler.h"
#include "hw/tile_pipeline.h"
#include "sw/report/kernel_listing.h"
#include "sw/report/kernel_report.h"

namespace podsim::app {
namespace {

using HostClock = std::chrono::steady_clock;

double seconds_since(HostClock::time_point begin) {
  return std::chrono::duration<double>(HostClock::now() - begin).count();
}

/// A word as a person may have meant it: by its bits and as a float.
std::string shown(std::uint32_t word) { return fmt::format("{:#010x} ({:g})", word, std::bit_cast<float>(word)); }

base::Diagnostic diagnostic_of(const hw::FailedExpectation& failure) {
  const hw::isa::Expectation& expectation = *failure.expectation;
  const std::uint64_t address = expectation.address + failure.first;
  std::string message = fmt::format("{} word {:#x}: expected {}, found {}", to_string(expectation.space), address,
                                    shown(failure.expected), shown(failure.found));
  if (failure.differences > 1) {
    message += fmt::format("; {} of {} words differ", failure.differences, expectation.words.size());
  }
  return {base::Diagnostic::Severity::error, std::move(message), expectation.location, ""};
}

base::Diagnostic diagnostic_of(const sw::Verification& verification) {
  const sw::ElementError& worst = verification.worst;
  return {base::Diagnostic::Severity::error,
          fmt::format("{} of {} elements differ from the reference by more than is allowed; the worst is {}[{}]: "
                      "expected {:.9g}, found {:.9g}, allowed error {:.3g}",
                      verification.differing, verification.elements, worst.output, fmt::join(worst.index, ", "),
                      worst.expected, worst.found, worst.allowed),
          {},
          fmt::format("with seed {}", verification.seed)};
}

/// One command, step by step; everything that can be wrong with the input comes before the simulation.
class KernelRun {
 public:
  explicit KernelRun(const KernelOptions& options) : options_(options), begin_(HostClock::now()) {}

  void execute() {
    report_.machine = hw::read_machine(options_.machine.load());
    report_.functional = !options_.timing_only;
    report_.matrix_view = options_.matrix_view;
    prepare();
    if (!options_.vcd.empty()) trace_.emplace(options_.vcd, options_.trace);
    if (!options_.listing.empty()) listing_.emplace(program());
    run_once();
    check();
    report_.wall_s = seconds_since(begin_);
    write_results();
    if (!failures_.empty()) throw FailedCheck(std::move(failures_));
  }

 private:
  const hw::isa::Program& program() const { return kernel_ ? kernel_->program : program_; }

  void prepare() {
    if (options_.family != nullptr) {
      kernel_ = options_.family->build(report_.machine, options_.arguments);
      report_.kernel = kernel_->name;
      report_.generated = {kernel_->flops, sw::closed_form(report_.machine, *kernel_), kernel_->passes,
                           hw::simulate_op(report_.machine, kernel_->tile_op).cycles};
      if (!options_.emit.empty()) base::write_file(options_.emit, hw::isa::disassemble(kernel_->program));
    } else {
      program_ = hw::isa::assemble(options_.file, read_input("kernel", options_.file));
      report_.kernel = options_.file;
    }
  }

  void run_once() {
    hw::DeviceMemory hbm(report_.machine.hbm.capacity_per_core);
    std::vector<sw::Literal> inputs;
    if (kernel_ && report_.functional) inputs = fill(hbm, sw::InputKind::finite);
    hw::BundleRunOptions run = run_options();
    if (trace_) run.trace = {&*trace_, nullptr, "core"};
    if (listing_ || trace_) run.on_issue = [this](const hw::IssueRecord& record) { show(record); };
    const HostClock::time_point begin = HostClock::now();
    simulate(hbm, run);
    report_.simulation_s = seconds_since(begin);
    if (options_.verify) report_.verification = sw::verify_outputs(*kernel_, inputs, hbm);
  }

  /// In the listing; a mark of the program becomes a marker of the waveform.
  void show(const hw::IssueRecord& record) {
    if (listing_) listing_->add(record);
    const std::optional<hw::isa::Instruction>& misc = record.bundle[hw::isa::Slot::misc];
    if (!trace_ || !misc || misc->opcode != hw::isa::Opcode::mark) return;
    trace_->mark(program().strings[std::size_t(misc->x.value)], report_.machine.core_clock().time_of(record.cycle));
  }

  hw::BundleRunOptions run_options() const {
    hw::BundleRunOptions run;
    run.functional = report_.functional;
    run.matrix_view = options_.matrix_view;
    if (kernel_) {
      run.before = kernel_->before;
      run.after = kernel_->after;
    }
    return run;
  }

  /// A run that cannot go on leaves its waveform and listing up to there: they show why.
  void simulate(hw::DeviceMemory& hbm, const hw::BundleRunOptions& run) {
    try {
      report_.result = run_bundles(report_.machine, program(), hbm, run);
    } catch (const base::SimulationError&) {
      finish_traces(base::Time(0));
      throw;
    }
    finish_traces(report_.result.end);
  }

  void finish_traces(base::Time end) {
    if (trace_) {
      trace_->check_patterns();
      trace_->finish(end);
    }
    if (listing_ && options_.listing != "-") base::write_file(options_.listing, listing_->text());
  }

  std::vector<sw::Literal> fill(hw::DeviceMemory& hbm, sw::InputKind kind) const {
    std::vector<sw::Literal> inputs = sw::random_inputs(*kernel_, std::uint64_t(options_.seed), kind);
    for (std::size_t i = 0; i < inputs.size(); ++i) write_array(hbm, kernel_->inputs[i], inputs[i]);
    return inputs;
  }

  void check() {
    for (const hw::FailedExpectation& failure : report_.result.failed) failures_.push_back(diagnostic_of(failure));
    if (report_.functional && !program().expectations.empty()) report_.verified = failures_.empty();
    if (!options_.verify) return;
    sw::Verification& verification = *report_.verification;
    if (verification.passed()) verify_special_values(verification);
    verification.seed = std::uint64_t(options_.seed);
    report_.verified = verification.passed();
    if (!verification.passed()) failures_.push_back(diagnostic_of(verification));
  }

  /// A second run, of the same inputs with NaNs and infinities.
  void verify_special_values(sw::Verification& verification) const {
    hw::DeviceMemory hbm(report_.machine.hbm.capacity_per_core);
    const std::vector<sw::Literal> inputs = fill(hbm, sw::InputKind::special);
    run_bundles(report_.machine, program(), hbm, run_options());
    sw::merge(verification, sw::verify_outputs(*kernel_, inputs, hbm));
  }

  void write_results() const {
    std::string text = options_.json ? sw::kernel_json(report_) : sw::kernel_text(report_);
    if (!options_.json) {
      text += fmt::format("\n{:.2f} s on this host, {:.2f} s of it simulating: {:.2f} million cycles per second\n",
                          report_.wall_s, report_.simulation_s,
                          double(report_.result.cycles.value()) * 1e-6 / report_.simulation_s);
    }
    if (options_.listing == "-") text += "\n" + listing_->text();
    print_result(text);
  }

  const KernelOptions& options_;
  HostClock::time_point begin_;
  sw::KernelReport report_;
  hw::isa::Program program_;
  std::optional<sw::Kernel> kernel_;
  std::optional<TraceFile> trace_;
  std::optional<sw::KernelListing> listing_;
  std::vector<base::Diagnostic> failures_;
};

}  // namespace

void run_kernel(const KernelOptions& options) { KernelRun(options).execute(); }

}  // namespace podsim::app
