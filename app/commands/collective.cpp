// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/options/algorithm_option.h"
#include "app/options/byte_amount.h"
#include "app/options/fault_option.h"
#include "app/options/file_option.h"
#include "app/options/flag_values.h"
#include "app/options/keys_without_effect.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/slice.h"
#include "app/output/failed_check.h"
#include "app/output/partial_result.h"
#include "app/output/trace_file.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/standard_output.h"
#include "base/progress.h"
#include "hlo/literal.h"
#include "report/collective_report.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_engine.h"
#include "sw/collectives/engine/expected_results.h"

namespace podsim::app::commands {
namespace {

constexpr std::int64_t max_seed = std::int64_t(1) << 40;
constexpr std::int64_t max_verified_numbers = std::int64_t(1)
                                              << 26;  // over all ranks; each number is held as three doubles

struct CollectiveCommand {
  workloads::machines::MachineChoice machine;
  std::string kind, slice, groups;
  std::string algorithm = "auto";
  sw::collectives::CollectiveKind parsed_kind = sw::collectives::CollectiveKind::all_reduce;
  sw::collectives::engine::NetworkLevel network = sw::collectives::engine::NetworkLevel::message;
  hlo::ElementType type = hlo::ElementType::bf16;
  base::Bytes bytes;
  bool fold = true, verify = false, json = false;
  options::FaultFlags faults;
  std::string vcd;
  std::vector<std::string> trace;
};

sw::collectives::CollectiveGroups parse_groups(const CollectiveCommand& command, const noc::Topology& slice,
                                               int cores) {
  const bool permute = command.parsed_kind == sw::collectives::CollectiveKind::collective_permute;
  if (command.groups.empty()) {
    auto everyone = sw::collectives::CollectiveGroups::all(slice, cores);
    if (!permute) return everyone;
    // Pairs of every core and the next one.
    std::vector<sw::collectives::CollectiveGroups::Ranks> pairs;
    const auto ranks = std::int32_t(everyone.largest());
    for (std::int32_t rank = 0; rank < ranks; ++rank) pairs.push_back({rank, (rank + 1) % ranks});
    return sw::collectives::CollectiveGroups(std::move(pairs));
  }
  std::optional<sw::collectives::CollectiveGroups> groups;
  base::host::locate_errors("--groups", command.groups, [&] {
    groups = permute ? sw::collectives::CollectiveGroups::parse_pairs(command.groups, slice, cores)
                     : sw::collectives::CollectiveGroups::parse(command.groups, slice, cores);
    const bool blocks = command.parsed_kind != sw::collectives::CollectiveKind::all_reduce &&
                        command.parsed_kind != sw::collectives::CollectiveKind::broadcast && !permute;
    if (blocks && !groups->equal_sizes()) {
      throw base::InputError(fmt::format("groups of {} must be equally large", command.kind));
    }
  });
  return *std::move(groups);
}

/// Chooses the requested algorithm's schedule, or the one with the least modelled time.
void choose_schedule(const CollectiveCommand& command, const sw::TargetMachine& machine, const noc::Topology& slice,
                     const sw::collectives::CollectiveGroups& groups, report::CollectiveReport& report) {
  const int width = int(hlo::byte_width(command.type));
  const sw::collectives::schedule::CollectiveRequest request{command.parsed_kind, command.type,
                                                             base::divide_round_up(command.bytes.value(), width)};
  if (command.algorithm == "auto") {
    const sw::collectives::engine::AlgorithmChoice choice =
        sw::collectives::engine::choose_algorithm(machine, slice, groups, request);
    report.schedule = choice.schedule;
    report.reason = choice.reason;
    return;
  }
  std::vector<std::string> names{"auto"};
  const std::vector<sw::collectives::Algorithm> able = sw::collectives::algorithms_for(command.parsed_kind);
  for (sw::collectives::Algorithm algorithm : able) names.emplace_back(sw::collectives::to_string(algorithm));
  const std::size_t picked = base::host::parse_choice("--algorithm", command.algorithm,
                                                      fmt::format("an algorithm for {}", command.kind), names);
  report.schedule = std::make_shared<const sw::collectives::schedule::CollectiveSchedule>(
      slice, int(machine.cores_per_chip), groups, request, able[picked - 1],
      sw::collectives::schedule::segment_lengths(machine, command.type));
}

std::int64_t operand_elements(const sw::collectives::schedule::CollectiveSchedule& schedule, std::int32_t core) {
  const std::int64_t elements = schedule.request().elements;
  if (schedule.request().kind != sw::collectives::CollectiveKind::all_gather) return elements;
  const auto& ranks = schedule.ranks(core);
  const std::int64_t block = base::divide_round_up(elements, std::int64_t(ranks.size()));
  return std::clamp<std::int64_t>(elements - block * (std::ranges::find(ranks, core) - ranks.begin()), 0, block);
}

sw::collectives::engine::CoreVectors random_operands(const sw::collectives::schedule::CollectiveSchedule& schedule,
                                                     std::uint64_t seed) {
  sw::collectives::engine::CoreVectors operands(std::size_t(schedule.cores()));
  std::int64_t numbers = 0;
  std::mt19937_64 random(seed);
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    numbers += schedule.request().elements;
    if (numbers > max_verified_numbers) {
      throw base::InputError(
          fmt::format("--verify moves every number: at most {} of all ranks together", max_verified_numbers));
    }
    std::vector<double>& values = operands[std::size_t(core)];
    values.resize(std::size_t(operand_elements(schedule, core)));
    for (double& value : values) value = hlo::round_to(schedule.request().type, double(1 + random() % 1000000) * 1e-6);
  }
  return operands;
}

/// The largest relative error of any rank. Throws FailedCheck if an error exceeds a rounding per member of its group,
/// or if data that are only moved differ at all.
double check_results(const sw::collectives::schedule::CollectiveSchedule& schedule,
                     const sw::collectives::engine::CoreVectors& operands,
                     const sw::collectives::engine::CoreVectors& results) {
  const sw::collectives::engine::CoreVectors expected = sw::collectives::engine::expected_results(schedule, operands);
  const double unit = std::ldexp(1.0, schedule.request().type == hlo::ElementType::bf16 ? -8 : -23);
  double largest = 0;
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    const auto &got = results[std::size_t(core)], &want = expected[std::size_t(core)];
    const bool sums = sw::collectives::traits(schedule.request().kind).reduces;
    const double bound = sums ? std::pow(1 + unit, double(schedule.ranks(core).size()) + 2) - 1 : 0;
    bool right = got.size() == want.size();
    for (std::size_t i = 0; right && i < got.size(); ++i) {
      const double error = want[i] == 0 ? std::abs(got[i]) : std::abs(got[i] / want[i] - 1);
      largest = std::max(largest, error);
      right = error <= bound;
    }
    if (!right) {
      throw output::FailedCheck({{base::Diagnostic::Severity::error,
                                  fmt::format("core {} does not end with the right numbers", core),
                                  {},
                                  ""}});
    }
  }
  return largest;
}

sw::collectives::engine::CollectiveOptions options_of(const CollectiveCommand& command,
                                                      const sw::TargetMachine& machine, const noc::Topology& slice) {
  sw::collectives::engine::CollectiveOptions options;
  options.network = command.network;
  options.fold = command.fold;
  for (const noc::Fault& fault : command.faults.faults) {
    if (fault.kind == noc::Fault::Kind::slow_host) options::refuse_slow_host(fault, "a collective needs no batch");
  }
  options.faults = options::resolve_faults(command.faults, slice, machine.pod.host_chips);
  options.seed = command.faults.seed;
  return options;
}

void simulate(const CollectiveCommand& command, const sw::TargetMachine& machine, const noc::Topology& slice,
              std::optional<output::TraceFile>& trace, report::CollectiveReport& report) {
  sw::collectives::engine::CollectiveOptions options = options_of(command, machine, slice);
  options.sink = trace ? &*trace : nullptr;
  std::optional<sw::collectives::engine::CollectiveData> data;
  sw::collectives::engine::CoreVectors operands;
  if (command.verify) {
    operands = random_operands(*report.schedule, command.faults.seed);
    options.data = &data.emplace(*report.schedule, operands);
  }
  base::Progress progress("simulating");
  options.progress = [&](base::Time now) {
    progress.update(base::to_duration(now).si() / report.modelled.si(), base::to_string(now));
  };
  options.partial = &report.outcome;
  report.outcome = sw::collectives::engine::simulate_collective(machine, report.schedule, options);
  if (trace) trace->check_patterns();
  if (data) {
    report.largest_error = check_results(*report.schedule, operands, data->results());
    report.verified = true;
  }
  if (options.faults.none()) return;
  for (const noc::Fault& fault : command.faults.faults) report.faults.push_back(noc::to_string(fault));
  if (report.outcome.healthy) {
    report.healthy = report.outcome.healthy;
    return;
  }
  sw::collectives::engine::CollectiveOptions healthy;
  healthy.network = command.network;
  report.healthy = sw::collectives::engine::simulate_collective(machine, report.schedule, healthy).duration;
}

void run_collective(const CollectiveCommand& command) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const base::Config config = command.machine.load();
  const sw::TargetMachine machine = sw::read_target(config);
  std::string warning;
  const noc::Topology slice = options::parse_any_slice(command.slice, machine, warning);
  const sw::collectives::CollectiveGroups groups = parse_groups(command, slice, int(machine.cores_per_chip));
  report::CollectiveReport report;
  report.machine = machine.name;
  report.slice = command.slice;
  report.groups = command.groups.empty() ? "of all" : command.groups;
  report.network = command.network;
  if (!warning.empty()) report.warnings.push_back(warning);
  using enum base::parameters::KeyLevel;
  const bool routers = command.network == sw::collectives::engine::NetworkLevel::packet;
  const std::vector<base::parameters::KeyLevel> levels{routers ? packets : collectives};
  for (const std::string& unread : options::keys_without_effect(config, levels)) report.warnings.push_back(unread);
  choose_schedule(command, machine, slice, groups, report);
  report.modelled = sw::collectives::schedule::modelled_time(machine, *report.schedule);
  report.closed_form = sw::collectives::schedule::closed_form(machine, *report.schedule);
  report.lower_bound = sw::collectives::schedule::lower_bound(machine, *report.schedule);
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return command.json ? report::collective_json(report) : report::collective_text(report);
  };
  std::optional<output::TraceFile> trace;
  if (!command.vcd.empty()) trace.emplace(command.vcd, command.trace);
  const auto work = [&] {
    simulate(command, machine, slice, trace, report);
    if (command.json) return;
    for (const std::string& said : report.warnings) base::host::print_warning(said);
  };
  output::publish(command.json, work, result, {[&] {
                    if (trace) trace->finish(report.outcome.duration);
                  }});
}

template <class Value>
void add_named_choice(CLI::App& command, const char* flag, Value& target, const char* what,
                      const std::vector<std::pair<std::string, Value>>& choices, const char* help) {
  std::string text;
  for (const auto& choice : choices) text += (text.empty() ? "" : "|") + choice.first;
  command
      .add_option_function<std::string>(
          flag,
          [flag, &target, what, choices](const std::string& word) {
            std::vector<std::string> names;
            for (const auto& choice : choices) names.push_back(choice.first);
            target = choices[base::host::parse_choice(flag, word, what, names)].second;
          },
          help)
      ->option_text(text);
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (sw::collectives::CollectiveKind kind : sw::collectives::collective_kinds)
    names.emplace_back(sw::collectives::to_string(kind));
  return names;
}

void add_flags(CLI::App& command, const std::shared_ptr<CollectiveCommand>& options) {
  command
      .add_option_function<std::string>(
          "KIND",
          [options](const std::string& text) {
            options->parsed_kind =
                sw::collectives::collective_kinds[base::host::parse_choice("KIND", text, "a collective", kind_names())];
            options->kind = text;
          },
          "all-reduce, reduce-scatter, all-gather, all-to-all,\ncollective-permute or broadcast")
      ->type_name(options::alternatives(kind_names()))
      ->option_text(" ")
      ->required();
  command
      .add_option_function<std::string>(
          "--bytes", [options](const std::string& text) { options->bytes = options::parse_bytes("--bytes", text); },
          "Of the larger of a rank's operand and result, such as\n100MiB")
      ->option_text("N")
      ->required();
  command.add_option("--slice", options->slice, "Chips per dimension, such as 8x4 or 128x32; any sizes")
      ->option_text("AxB")
      ->required();
  command
      .add_option("--groups", options->groups,
                  "Ranks that work together: {{0,1},{2,3}}, [2,2]<=[4], mesh\naxes such as y, chips:{{0,1}}; of a "
                  "collective-permute pairs\nof source and target [all cores; each to the next]")
      ->option_text("G");
  command
      .add_option(
          "--algorithm", options->algorithm,
          "ring, one-way-ring, line, y-then-x, two-colour, rotated,\ndirect, or auto: the fastest by estimate [auto]" +
              options::registered_algorithms())
      ->type_name(options::alternatives(options::algorithm_names()))
      ->option_text("A");
  add_named_choice<sw::collectives::engine::NetworkLevel>(
      command, "--network", options->network, "a level",
      {{"message", sw::collectives::engine::NetworkLevel::message},
       {"packet", sw::collectives::engine::NetworkLevel::packet}},
      "Links and their queues, or flits, credits and virtual\nchannels [message]");
  add_named_choice<hlo::ElementType>(command, "--dtype", options->type, "a type",
                                     {{"bf16", hlo::ElementType::bf16}, {"f32", hlo::ElementType::f32}},
                                     "Of the numbers [bf16]");
  add_named_choice<bool>(command, "--fold", options->fold, "a choice", {{"on", true}, {"off", false}},
                         "Let a chip stand for its translates where that is exact\n[on]");
  options::add_fault_option(command, options->faults);
}

}  // namespace

void add_collective(CLI::App& program) {
  auto options = std::make_shared<CollectiveCommand>();
  CLI::App* command = program.add_subcommand("collective", "Run one collective on an idle slice")->group("Commands");
  add_flags(*command, options);
  command->add_flag("--verify", options->verify,
                    "Move real numbers with the messages and check what every\nrank ends with");
  command
      ->add_option_function<std::string>(
          "--seed",
          [options](const std::string& text) {
            options->faults.seed = std::uint64_t(base::host::parse_whole_number("--seed", text, 0, max_seed));
          },
          "Of jitter, bit errors, stalls and the numbers of --verify [1]")
      ->option_text("N");
  options::add_machine_option(*command, options->machine);
  options::add_set_option(*command, options->machine);
  options::add_limit_option(*command);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  auto* vcd = options::add_file_option(*command, "--vcd", options->vcd,
                                       "Waveform of links and phases, with a GTKWave save file (.gtkw)\nbeside it");
  command
      ->add_option("--trace", options->trace,
                   "Signals in the waveform, such as 'chip(0,0).*' [all]; may be\nrepeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
  command->footer(R"(Examples:
  podsim collective all-reduce --bytes 100MiB --slice 128x32
  podsim collective all-to-all --bytes 1MiB --slice 8x8 --network packet
  podsim collective all-reduce --bytes 64KiB --slice 4x4 --groups y --verify
  podsim collective all-gather --bytes 8MiB --slice 8x8 --fault 'dead-link:(0,0)x+')");
  command->callback([options] { run_collective(*options); });
}

}  // namespace podsim::app::commands
