// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/options/fault_option.h"
#include "app/options/keys_without_effect.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/slice.h"
#include "app/output/failed_check.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/standard_output.h"
#include "base/text/counted.h"
#include "report/trace_report.h"
#include "sw/chakra/trace_file.h"

namespace podsim::app::commands {
namespace {

struct TraceOptions {
  workloads::machines::MachineChoice machine;
  std::string folder, slice;
  options::FaultFlags faults;
  bool json = false;
};

/// The slice that the run recorded in the trace, if none is given.
std::string slice_of_traces(const TraceOptions& options, const sw::chakra::RankTrace& first) {
  if (!options.slice.empty()) return options.slice;
  const auto recorded = first.attributes.find("slice");
  if (recorded != first.attributes.end()) return recorded->second;
  throw base::InputError("the traces do not say on which slice they ran", "add --slice, such as --slice 4x4");
}

void check_slice(const noc::Topology& slice, const sw::TargetMachine& machine, std::size_t ranks,
                 const std::string& text) {
  const std::int64_t cores = std::int64_t(slice.nodes()) * machine.cores_per_chip;
  if (cores == std::int64_t(ranks)) return;
  throw base::InputError(fmt::format("there are {}, and a slice of {} has {} cores",
                                     base::text::counted(std::int64_t(ranks), "trace"), text, cores),
                         "a rank is a core");
}

void check_machine(report::TraceReport& report, const sw::chakra::RankTrace& first) {
  const auto recorded = first.attributes.find("machine");
  if (recorded == first.attributes.end() || recorded->second == report.machine) return;
  report.warnings.push_back(
      fmt::format("the traces are of {}, the network is that of {}", recorded->second, report.machine));
}

void check_traces(const TraceOptions& options) {
  const auto begin = base::host::HostClock::now();
  base::host::throw_on_interrupt();
  const base::Config config = options.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  options::warn_of_keys_without_effect(config, {base::parameters::KeyLevel::collectives});
  const sw::chakra::ExecutionTrace trace = sw::chakra::read_traces(options.folder);
  report::TraceReport report;
  report.trace = &trace;
  report.folder = options.folder;
  report.machine = machine.name;
  report.slice = slice_of_traces(options, trace.ranks.front());
  const noc::Topology slice = options::parse_slice(report.slice, machine);
  check_slice(slice, machine, trace.ranks.size(), report.slice);
  check_machine(report, trace.ranks.front());
  const noc::Faults faults = options::resolve_faults(options.faults, slice, machine.pod.host_chips);
  options::refuse_dead_chips(options.faults, faults, slice);
  for (const noc::Fault& fault : options.faults.faults) {
    if (fault.kind == noc::Fault::Kind::slow_host) options::refuse_slow_host(fault, "a replay has no hosts");
    report.faults.push_back(noc::to_string(fault));
  }
  report.findings = sw::chakra::check(trace);
  if (report.findings.empty()) {
    const auto pause = [] { base::host::end_if_interrupted(); };
    report.replay = sw::chakra::replay(trace, machine, slice, pause, faults);
    if (!faults.none()) report.healthy = sw::chakra::replay(trace, machine, slice, pause).duration;
    const std::vector<std::string>& warnings = report.replay->warnings;
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
  }
  report.wall_s = base::host::seconds_since(begin);
  base::host::print_result(options.json ? report::trace_json(report) : report::trace_text(report));
  if (report.findings.empty()) return;
  throw output::FailedCheck(
      {{base::Diagnostic::Severity::error,
        fmt::format("'{}' has {}", options.folder, base::text::counted(std::int64_t(report.findings.size()), "fault")),
        {},
        ""}});
}

}  // namespace

void add_trace(CLI::App& program) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* trace = program.add_subcommand("trace", "Work on execution traces (Chakra)")->group("Commands");
  trace->require_subcommand(1);
  CLI::App* check =
      trace->add_subcommand("check", "Read the traces of all ranks, check them and replay them on a slice");
  check->add_option("DIR", options->folder, "Folder with a file NAME.RANK.et for each rank, as run --chakra\nwrites it")
      ->option_text(" ")
      ->required();
  check->add_option("--slice", options->slice, "Chips per dimension [that of the run that wrote the traces]")
      ->option_text("AxB");
  options::add_fault_option(*check, options->faults);
  options::add_fault_seed_option(*check, options->faults);
  options::add_machine_option(*check, options->machine);
  options::add_set_option(*check, options->machine);
  options::add_limit_option(*check);
  check->add_flag("--json", options->json, "One JSON object on stdout");
  check->footer("Example:\n  podsim run resnet50 --slice 4x4 -o r --chakra\n  podsim trace check r/chakra");
  check->callback([options] { check_traces(*options); });
}

}  // namespace podsim::app::commands
