// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/options/byte_amount.h"
#include "app/options/file_option.h"
#include "app/options/keys_without_effect.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/output/partial_result.h"
#include "app/output/trace_file.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/progress.h"
#include "sw/report/memory_report.h"

namespace podsim::app::commands {
namespace {

using Kind = hw::memory::dram::MemoryPattern::Kind;

constexpr std::array kinds{Kind::sequential, Kind::strided, Kind::random, Kind::mixed};

struct MemoryOptions {
  workloads::machines::MachineChoice machine;
  hw::memory::dram::MemoryPattern pattern;
  bool json = false;
  std::string vcd;  ///< file; empty: none
  std::vector<std::string> trace;
};

void parse_mix(const std::string& text, hw::memory::dram::MemoryPattern& pattern) {
  const std::size_t colon = text.find(':');
  base::host::locate_errors("--mix", text, [&] {
    if (colon == std::string::npos) throw base::InputError("'" + text + "' is not reads:writes", "such as 2:1");
    pattern.reads = base::host::parse_whole_number("--mix", text.substr(0, colon), 1, 1000);
    pattern.writes = base::host::parse_whole_number("--mix", text.substr(colon + 1), 1, 1000);
  });
}

void add_pattern_flags(CLI::App& command, const std::shared_ptr<MemoryOptions>& options) {
  hw::memory::dram::MemoryPattern& pattern = options->pattern;
  command
      .add_option_function<std::string>(
          "--pattern",
          [&pattern](const std::string& text) {
            std::vector<std::string> names;
            for (Kind kind : kinds) names.emplace_back(hw::memory::dram::to_string(kind));
            pattern.kind = kinds[base::host::parse_choice("--pattern", text, "a pattern", names)];
          },
          "Contiguous bytes; rows at a pitch; rows at random places;\ncontiguous reads and writes at once")
      ->option_text("sequential|strided|random|mixed")
      ->required();
  command
      .add_option_function<std::string>(
          "--bytes", [&pattern](const std::string& text) { pattern.bytes = options::parse_bytes("--bytes", text); },
          "Of all streams together, such as 16MiB")
      ->option_text("N")
      ->required();
  command
      .add_option_function<std::string>(
          "--streams",
          [&pattern](const std::string& text) {
            pattern.streams = base::host::parse_whole_number("--streams", text, 1, 1024);
          },
          "Streams at once; of a mixed pattern times its mix [1]")
      ->option_text("K");
  command.add_flag_callback(
      "--write", [&pattern] { pattern.direction = hw::Direction::write; }, "Writes instead of reads");
  command
      .add_option_function<std::string>(
          "--mix", [&pattern](const std::string& text) { parse_mix(text, pattern); },
          "Streams of one size in a mixed pattern [1:1]")
      ->option_text("READS:WRITES");
  command
      .add_option_function<std::string>(
          "--row", [&pattern](const std::string& text) { pattern.row = options::parse_bytes("--row", text); },
          "Contiguous bytes of strided and random patterns [512 B]")
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--pitch",
          [&pattern](const std::string& text) { pattern.pitch = options::parse_bytes("--pitch", text).value(); },
          "From one strided row to the next [4 KiB]")
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--seed",
          [&pattern](const std::string& text) {
            pattern.seed = std::uint64_t(
                base::host::parse_whole_number("--seed", text, 0, std::numeric_limits<std::int64_t>::max()));
          },
          "Of the places of a random pattern [1]")
      ->option_text("N");
}

void run_memory(const MemoryOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const base::Config config = options.machine.load();
  const hw::Machine machine = hw::read_machine(config);
  options::warn_of_keys_without_effect(config, {hw::KeyLevel::banks});
  sw::report::MemoryReport report{machine.name, machine.dram, options.pattern, {}, 0};
  const std::vector<hw::memory::dram::MemoryStream> streams =
      hw::memory::dram::streams_of(options.pattern, machine.hbm.capacity_per_core);
  std::optional<output::TraceFile> trace;
  if (!options.vcd.empty()) trace.emplace(options.vcd, options.trace);
  base::Progress progress("simulating");
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? sw::report::memory_json(report) : sw::report::memory_text(report);
  };
  const auto simulate = [&] {
    report.result = hw::memory::dram::run_memory_traffic(
        machine.dram, streams, machine.dma.granules, {trace ? &*trace : nullptr, nullptr, "hbm"},
        {[&](double fraction) { progress.update(fraction); }, &report.result});
    if (trace) trace->check_patterns();
  };
  output::publish(options.json, simulate, result, {[&] {
                    if (trace) trace->finish(base::Clock(machine.dram.clock).time_of(report.result.clocks));
                  }});
}

}  // namespace

void add_memory(CLI::App& program) {
  auto options = std::make_shared<MemoryOptions>();
  CLI::App* memory = program.add_subcommand("memory", "Run traffic through one core's half of the HBM, bank by bank")
                         ->group("Commands");
  add_pattern_flags(*memory, options);
  options::add_machine_option(*memory, options->machine);
  options::add_set_option(*memory, options->machine);
  options::add_limit_option(*memory);
  memory->add_flag("--json", options->json, "One JSON object on stdout");
  auto* vcd = options::add_file_option(*memory, "--vcd", options->vcd,
                                       "Waveform of the channels, with a GTKWave save file (.gtkw)\nbeside it");
  memory
      ->add_option("--trace", options->trace,
                   "Signals in the waveform, such as 'hbm.channel0.*' [all];\nmay be repeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
  memory->footer(R"(Examples:
  podsim memory --pattern sequential --bytes 16MiB
  podsim memory --pattern mixed --mix 2:1 --bytes 16MiB
  podsim memory --pattern random --row 32 --bytes 1MiB --set hbm.refresh=all_bank)");
  memory->callback([options] { run_memory(*options); });
}

}  // namespace podsim::app::commands
