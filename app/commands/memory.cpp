// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/memory_run.h"
#include "app/options/byte_amount.h"
#include "app/options/file_option.h"
#include "app/options/flag_values.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"

namespace podsim::app::commands {
namespace {

using Kind = hw::memory::dram::MemoryPattern::Kind;
using hw::memory::banks::TrafficEnd;

constexpr std::array kinds{Kind::sequential, Kind::strided, Kind::random, Kind::mixed};

constexpr std::array ends{TrafficEnd::own, TrafficEnd::other, TrafficEnd::one, TrafficEnd::host, TrafficEnd::neighbour};

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

void add_chip_flags(CLI::App& command, const std::shared_ptr<MemoryOptions>& options) {
  static const std::vector<std::string> paths{"banks", "switch"};
  std::vector<std::string> names;
  for (TrafficEnd end : ends) names.emplace_back(hw::memory::banks::to_string(end));
  command
      .add_option_function<std::string>(
          "--through",
          [options](const std::string& text) {
            options->through_switch = base::host::parse_choice("--through", text, "a path", paths) == 1;
          },
          "banks: one half of the HBM alone;\nswitch: the pattern from every core of a chip at once, through\nDMA "
          "engines and on-chip switch [banks]")
      ->type_name(options::alternatives(paths))
      ->option_text("PATH");
  command
      .add_option_function<std::string>(
          "--at",
          [options, names](const std::string& text) {
            options->at = ends[base::host::parse_choice("--at", text, "a memory", names)];
          },
          "Through the switch: the core's own half, the other core's,\none half for all, the host's memory, the "
          "neighbouring chip's\nHBM [own]")
      ->type_name(options::alternatives(names))
      ->option_text("MEMORY");
}

}  // namespace

void add_memory(CLI::App& program) {
  auto options = std::make_shared<MemoryOptions>();
  CLI::App* memory = program.add_subcommand("memory", "Run traffic through a half of the HBM, bank by bank, or a chip")
                         ->group("Commands");
  add_pattern_flags(*memory, options);
  add_chip_flags(*memory, options);
  options::add_machine_option(*memory, options->machine);
  options::add_set_option(*memory, options->machine);
  options::add_limit_option(*memory);
  memory->add_flag("--json", options->json, "One JSON object on stdout");
  auto* vcd = options::add_file_option(
      *memory, "--vcd", options->vcd,
      "Waveform of channels and, through the switch, of its ports,\nwith a GTKWave save file (.gtkw) beside it");
  memory
      ->add_option("--trace", options->trace,
                   "Signals in the waveform, such as 'hbm.channel0.*' [all];\nmay be repeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
  memory->footer(R"(Examples:
  podsim memory --pattern sequential --bytes 16MiB
  podsim memory --pattern mixed --mix 2:1 --bytes 16MiB
  podsim memory --pattern random --row 32 --bytes 1MiB --set hbm.refresh=all_bank
  podsim memory --pattern sequential --bytes 16MiB --through switch --at other)");
  memory->callback([options] { run_memory(*options); });
}

}  // namespace podsim::app::commands
