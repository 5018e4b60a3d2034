// SPDX-License-Identifier: Apache-2.0
#include "app/commands/kernel_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "app/commands/kernel_of_step.h"
#include "app/options/keys_without_effect.h"
#include "app/output/failed_check.h"
#include "app/output/partial_result.h"
#include "app/output/trace_file.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/input_file.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "base/host/write_all.h"
#include "base/progress.h"
#include "hw/isa/fixed_sizes.h"
#include "hw/isa/pasm/assembler.h"
#include "hw/timing/tile_pipeline.h"
#include "report/kernel_listing.h"
#include "report/kernel_report.h"

namespace podsim::app::commands {
namespace {

/// A word in the two readings that help a reader: as bits and as a float.
std::string shown(std::uint32_t word) { return fmt::format("{:#010x} ({:g})", word, std::bit_cast<float>(word)); }

base::Diagnostic diagnostic_of(const hw::bundle::FailedExpectation& failure) {
  const hw::isa::Expectation& expectation = *failure.expectation;
  const std::uint64_t address = expectation.address + failure.first;
  std::string message = fmt::format("{} word {:#x}: expected {}, found {}", hw::isa::to_string(expectation.space),
                                    address, shown(failure.expected), shown(failure.found));
  if (failure.differences > 1) {
    message += fmt::format("; {} of {} words differ", failure.differences, expectation.words.size());
  }
  return {base::Diagnostic::Severity::error, std::move(message), expectation.location, ""};
}

base::Diagnostic diagnostic_of(const validation::kernels::Verification& verification) {
  const validation::kernels::ElementError& worst = verification.worst;
  return {base::Diagnostic::Severity::error,
          fmt::format("{} of {} elements differ from the reference by more than is allowed; the worst is {}[{}]: "
                      "expected {:.9g}, found {:.9g}, allowed error {:.3g}",
                      verification.differing, verification.elements, worst.output, fmt::join(worst.index, ", "),
                      worst.expected, worst.found, worst.allowed),
          {},
          fmt::format("with seed {}", verification.seed)};
}

/// One `podsim kernel`, step by step. All errors of the input are found before the simulation.
class KernelRun {
 public:
  explicit KernelRun(const options::KernelOptions& options) : options_(options), begin_(base::host::HostClock::now()) {}

  void execute() {
    const base::Config config = options_.machine.load();
    report_.machine = sw::read_target(config);
    hw::isa::at_place_of_value(config, [&] { execute(config); });
  }

 private:
  void execute(const base::Config& config) {
    hw::isa::require_fixed_sizes(report_.machine);
    using enum base::parameters::KeyLevel;
    if (options_.family != nullptr || options_.is_step) {
      // A generated kernel has the tiles of an op, and its report the time of that op.
      options::warn_of_keys_without_effect(config, {kernels, ops, watts});
    } else {
      options::warn_of_keys_without_effect(config, {kernels, watts});
    }
    report_.functional = !options_.timing_only;
    report_.matrix_view = options_.matrix_view;
    prepare();
    if (!options_.vcd.empty()) trace_.emplace(options_.vcd, options_.trace);
    if (!options_.listing.empty()) listing_.emplace(program());
    const auto work = [&] {
      run_once();
      check();
    };
    output::publish(
        options_.json, work, [&] { return results(); }, files());
    if (!failures_.empty()) throw output::FailedCheck(std::move(failures_));
  }

  const hw::isa::Program& program() const { return kernel_ ? kernel_->program : program_; }

  void prepare() {
    if (options_.family != nullptr) {
      kernel_ = options_.family->build(report_.machine, options_.arguments);
      describe_generated(validation::kernels::compiled_run(*kernel_, report_.machine));
    } else if (options_.is_step) {
      StepKernel made = kernel_of_step(options_, report_.machine);
      kernel_ = std::move(made.kernel);
      describe_generated(made.run);
      report_.kernel = fmt::format("{} of {}", kernel_->name, options_.file);
    } else {
      program_ = hw::isa::pasm::assemble(options_.file, base::host::read_input("kernel", options_.file));
      report_.kernel = options_.file;
    }
  }

  void describe_generated(const validation::kernels::CompiledRun& program) {
    report_.kernel = kernel_->name;
    report_.generated = {kernel_->flops(),
                         report::closed_form(report_.machine, *kernel_),
                         kernel_->passes,
                         hw::timing::simulate_op(report_.machine, kernel_->tile_op).cycles,
                         hw::activity(report_.machine, kernel_->tile_op),
                         program};
    if (!options_.emit.empty()) base::host::write_file(options_.emit, hw::isa::pasm::disassemble(kernel_->program));
  }

  void run_once() {
    hw::memory::DeviceMemory hbm(report_.machine.hbm.capacity_per_core);
    std::vector<hlo::Literal> inputs;
    if (kernel_ && report_.functional) inputs = fill(hbm, validation::kernels::InputKind::finite);
    hw::bundle::BundleRunOptions run = run_options();
    if (trace_) run.trace = {&*trace_, nullptr, "core"};
    if (listing_ || trace_) run.on_issue = [this](const hw::bundle::IssueRecord& record) { show(record); };
    run.partial = &report_.result;
    base::Progress progress("simulating");
    run.progress = [&](base::Cycles cycle) { show_progress(progress, cycle); };
    simulate(hbm, run);
    if (options_.verify) report_.verification = validation::kernels::verify_outputs(*kernel_, inputs, hbm);
  }

  /// Adds a bundle to the listing, and a marker to the waveform for a mark of the program.
  void show(const hw::bundle::IssueRecord& record) {
    if (listing_) listing_->add(record);
    const std::optional<hw::isa::Instruction>& misc = record.bundle[hw::isa::Slot::misc];
    if (!trace_ || !misc || misc->opcode != hw::isa::Opcode::mark) return;
    trace_->mark(program().strings[std::size_t(misc->x.value)], report_.machine.core_clock().time_of(record.cycle));
  }

  /// The tile level estimates the end of a generated kernel; that of another program is not known.
  void show_progress(base::Progress& progress, base::Cycles cycle) const {
    const auto note = [&] { return fmt::format("{:.1f} million cycles", double(cycle.value()) * 1e-6); };
    if (!report_.generated) return progress.update(note);
    progress.update(double(cycle.value()) / double(report_.generated->tile_level.value()), note());
  }

  hw::bundle::BundleRunOptions run_options() const {
    hw::bundle::BundleRunOptions run;
    run.limit = options_.max_cycles;
    run.functional = report_.functional;
    run.matrix_view = options_.matrix_view;
    if (kernel_) {
      run.before = kernel_->before;
      run.after = kernel_->after;
    }
    return run;
  }

  /// Runs the simulation. One that cannot proceed still writes its waveform and listing, which show the reason.
  void simulate(hw::memory::DeviceMemory& hbm, const hw::bundle::BundleRunOptions& run) {
    const base::host::HostClock::time_point begin = base::host::HostClock::now();
    try {
      report_.result = hw::bundle::run_bundles(report_.machine, program(), hbm, run);
    } catch (const base::host::Interrupted&) {
      report_.simulation_s = base::host::seconds_since(begin);
      throw;
    } catch (const base::SimulationError& verdict) {
      write_files_of(verdict);
      throw;
    }
    report_.simulation_s = base::host::seconds_since(begin);
    if (trace_) trace_->check_patterns();
  }

  std::vector<std::function<void()>> files() {
    return {[this] {
              if (trace_) trace_->finish(report_.result.end);
            },
            [this] {
              if (listing_ && options_.listing != "-") base::host::write_file(options_.listing, listing_->text());
            }};
  }

  void write_files_of(const base::SimulationError& verdict) {
    if (trace_) trace_->check_patterns();
    try {
      base::host::write_all(files());
    } catch (const base::InputError& error) {
      throw base::SimulationError(fmt::format("{}\n{}", verdict.what(), error.what()));
    }
  }

  std::vector<hlo::Literal> fill(hw::memory::DeviceMemory& hbm, validation::kernels::InputKind kind) const {
    std::vector<hlo::Literal> inputs = validation::kernels::random_inputs(*kernel_, std::uint64_t(options_.seed), kind);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      sw::codegen::families::write_array(hbm, kernel_->inputs[i], inputs[i]);
    return inputs;
  }

  void check() {
    for (const hw::bundle::FailedExpectation& failure : report_.result.failed)
      failures_.push_back(diagnostic_of(failure));
    if (report_.functional && !program().expectations.empty()) report_.verified = failures_.empty();
    if (!options_.verify) return;
    validation::kernels::Verification& verification = *report_.verification;
    if (verification.passed()) verify_special_values(verification);
    verification.seed = std::uint64_t(options_.seed);
    report_.verified = verification.passed();
    if (!verification.passed()) failures_.push_back(diagnostic_of(verification));
  }

  /// Verifies a second run, with NaNs and infinities in the inputs.
  void verify_special_values(validation::kernels::Verification& verification) const {
    hw::memory::DeviceMemory hbm(report_.machine.hbm.capacity_per_core);
    const std::vector<hlo::Literal> inputs = fill(hbm, validation::kernels::InputKind::special);
    hw::bundle::run_bundles(report_.machine, program(), hbm, run_options());
    validation::kernels::merge(verification, validation::kernels::verify_outputs(*kernel_, inputs, hbm));
  }

  std::string results() {
    report_.wall_s = base::host::seconds_since(begin_);
    std::string text = options_.json ? report::kernel_json(report_) : report::kernel_text(report_);
    if (!options_.json && report_.simulation_s > 0) {
      text += fmt::format("\n{:.2f} s on this host, {:.2f} s of it simulating: {:.2f} million cycles per second\n",
                          report_.wall_s, report_.simulation_s,
                          double(report_.result.cycles.value()) * 1e-6 / report_.simulation_s);
    }
    if (options_.listing == "-") text += "\n" + listing_->text();
    return text;
  }

  const options::KernelOptions& options_;
  base::host::HostClock::time_point begin_;
  report::KernelReport report_;
  hw::isa::Program program_;
  std::optional<sw::codegen::families::Kernel> kernel_;
  std::optional<output::TraceFile> trace_;
  std::optional<report::KernelListing> listing_;
  std::vector<base::Diagnostic> failures_;
};

void list_ops(const options::KernelOptions& options) {
  const sw::TargetMachine machine = sw::read_target(options.machine.load());
  base::host::print_result(ops_of_step(options, machine));
}

}  // namespace

void run_kernel(const options::KernelOptions& options) {
  base::host::throw_on_interrupt();
  if (options.is_step && options.op.empty()) return list_ops(options);
  KernelRun(options).execute();
}

}  // namespace podsim::app::commands
