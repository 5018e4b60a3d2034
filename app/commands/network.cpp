// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/options/slice.h"
#include "app/output/partial_result.h"
#include "app/output/trace_file.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "noc/router/channel_dependency.h"
#include "noc/router/router_trace.h"
#include "report/network_report.h"

namespace podsim::app::commands {
namespace {

constexpr std::array patterns{noc::router::Pattern::uniform, noc::router::Pattern::transpose,
                              noc::router::Pattern::tornado, noc::router::Pattern::neighbor,
                              noc::router::Pattern::hotspot, noc::router::Pattern::all_to_all};
constexpr std::int64_t max_chips = 16384;
constexpr double trace_clock_hz = 1e9;  // of waveforms, in which a cycle is a nanosecond

struct NetworkOptions {
  std::string slice = "8x8";
  std::string wrap = "all";
  noc::router::LoadParameters load;
  int channel_cycles = 2;
  std::vector<double> loads;
  bool sweep = false;
  std::vector<std::string> faults;
  bool json = false;
  std::string csv, svg, vcd;  ///< files; empty: none
  std::vector<std::string> trace;
};

using Shared = std::shared_ptr<NetworkOptions>;

[[noreturn]] void reject_flag(std::string_view flag, const std::string& text, std::string message,
                              std::string hint = "") {
  base::host::locate_errors(flag, text, [&] { throw base::InputError(std::move(message), std::move(hint)); });
  std::abort();
}

/// Parses "0.1" or "0.05,0.1,0.2".
std::vector<double> parse_loads(const std::string& text) {
  std::vector<double> loads;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double load = 0;
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, load);
    if (error != std::errc() || rest != text.data() + end || !(load > 0 && load <= 1)) {
      reject_flag("--load", text, fmt::format("'{}' is not a load", text.substr(begin, end - begin)),
                  "flits per node and cycle, above 0 and up to 1, such as 0.2 or 0.1,0.2");
    }
    loads.push_back(load);
    begin = end + 1;
  }
  return loads;
}

/// Parses "all", "none", or dimensions such as "x,y".
std::vector<bool> parse_wraps(const std::string& text, std::size_t dimensions) {
  if (text == "all" || text == "none") return std::vector<bool>(dimensions, text == "all");
  std::vector<bool> wraps(dimensions);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::size_t dimension = 0;
    while (dimension < dimensions && noc::dimension_name(int(dimension)) != text.substr(begin, end - begin))
      ++dimension;
    if (dimension == dimensions) {
      reject_flag("--wrap", text, fmt::format("'{}' is not a dimension of the slice", text.substr(begin, end - begin)),
                  "all, none, or dimensions such as x or x,y");
    }
    wraps[dimension] = true;
    begin = end + 1;
  }
  return wraps;
}

noc::Topology parse_topology(const NetworkOptions& options) {
  const std::vector<std::int64_t> sizes = options::parse_sizes(options.slice);
  std::int64_t chips = 1;
  for (std::int64_t size : sizes) chips = size > max_chips ? max_chips + 1 : std::min(chips * size, max_chips + 1);
  if (chips > max_chips || int(sizes.size()) > noc::max_dimensions) {
    reject_flag("--slice", options.slice,
                fmt::format("a network has up to {} nodes and {} dimensions", max_chips, noc::max_dimensions));
  }
  return noc::Topology(sizes, parse_wraps(options.wrap, sizes.size()));
}

void resolve_faults(NetworkOptions& options) {
  std::vector<noc::Fault> faults;
  for (const std::string& text : options.faults) {
    base::host::locate_errors("--fault", text, [&] {
      const noc::Fault fault = noc::parse_fault(text);
      if (noc::of_chips(fault.kind)) {
        throw base::InputError("synthetic traffic takes no time of a chip: " + text + " would change nothing");
      }
      faults.push_back(fault);
      static_cast<void>(noc::Faults(options.load.topology, faults));
    });
  }
  options.load.faults = noc::Faults(options.load.topology, faults);
  if (options.load.faults.any_dead()) options.load.network.router.vc_classes = noc::router::VcClasses::dateline;
}

// Bits of a flit of synthetic traffic, as many as those of an ICI flit.
constexpr double flit_bits = 256;

void resolve_links(NetworkOptions& options) {
  noc::router::LoadParameters& load = options.load;
  for (noc::LinkId link = 0; link < load.topology.link_ids(); ++link) {
    load.network.links.push_back(
        {.latency = options.channel_cycles,
         .cycles_per_flit = 1 / load.faults.link_speed(link),
         .flit_error_rate = -std::expm1(flit_bits * std::log1p(-load.faults.bit_error_rate(link))),
         .stall_rate = load.faults.stall_rate(link),
         .dead = load.faults.dead(link)});
  }
}

// Checks for errors that involve several flags.
void check_together(const NetworkOptions& options) {
  const noc::router::LoadParameters& load = options.load;
  if (std::string problem = noc::router::router_problem(load.network.router, load.packet_flits); !problem.empty()) {
    throw base::InputError(problem);
  }
  if (std::string problem = noc::router::pattern_problem(load.pattern, load.topology); !problem.empty()) {
    throw base::InputError(problem);
  }
  if (options.loads.empty() == !options.sweep) {
    throw base::InputError(options.sweep ? "--sweep chooses the loads itself: --load has no place beside it"
                                         : "--load or --sweep is required");
  }
  const std::string cycle = noc::router::dependency_cycle(load.topology, load.network.router, load.faults);
  if (!cycle.empty()) throw base::SimulationError("the routing can deadlock: " + cycle);
}

double user_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Runs the loads, adding each point to the report as soon as it is done.
void run_points(NetworkOptions& options, report::NetworkReport& report, noc::router::Cycle& now) {
  base::Progress progress("simulating");
  options.load.progress = [&](double load, noc::router::Cycle cycle) {
    now = cycle;
    const auto note = [&] { return fmt::format("load {:.4g}, cycle {}", load, cycle); };
    if (options.sweep || options.loads.size() == 1) return progress.update(note);
    progress.update(double(report.points.size()) / double(options.loads.size()), note());
  };
  if (options.sweep) {
    constexpr double step = 0.05;
    const noc::router::LoadSweep sweep = noc::router::sweep_load(
        options.load, step, [&](const noc::router::LoadPoint& point) { report.points.push_back(point); });
    report.points = sweep.points;
    report.saturation = sweep.saturation;
    report.swept = true;
    return;
  }
  for (double load : options.loads) report.points.push_back(noc::router::run_load(options.load, load));
}

// Both are of the traffic at the last load that was simulated to its end.
void write_link_table(const NetworkOptions& options, const report::NetworkReport& report) {
  if (options.csv.empty() || report.points.empty()) return;
  const std::vector<report::LinkFigures> links = report::link_figures(report, report.points.back());
  base::host::write_file(options.csv, report::link_csv(options.load.topology, links, "flits"));
}

void draw_links(const NetworkOptions& options, const report::NetworkReport& report) {
  if (options.svg.empty() || report.points.empty()) return;
  const noc::router::LoadPoint& point = report.points.back();
  base::host::write_file(options.svg,
                         report::link_svg(options.load.topology, report::link_figures(report, point),
                                          fmt::format("{} traffic at load {:.4g}",
                                                      noc::router::to_string(options.load.pattern), point.load)));
}

void run_network(NetworkOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  options.load.topology = parse_topology(options);
  resolve_faults(options);
  resolve_links(options);
  check_together(options);
  std::optional<output::TraceFile> trace;
  if (!options.vcd.empty()) {
    if (options.loads.size() != 1) throw base::InputError("--vcd shows one load: give one to --load");
    trace.emplace(options.vcd, options.trace);
    options.load.observer = [&trace](const noc::router::RouterNetwork& network) {
      auto observer =
          std::make_unique<noc::router::RouterTrace>(network, *trace, base::Clock(base::Frequency(trace_clock_hz)));
      trace->check_patterns();
      return observer;
    };
  }
  report::NetworkReport report;
  report.parameters = options.load;
  report.channel_cycles = options.channel_cycles;
  report.faults = options.faults;
  const double user_begin = user_seconds();
  const auto result = [&] {
    report.cpu_s = user_seconds() - user_begin;
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? report::network_json(report) : report::network_text(report);
  };
  const base::Clock clock{base::Frequency(trace_clock_hz)};
  noc::router::Cycle now = 0;
  const auto simulate = [&] {
    run_points(options, report, now);
    now = report.points.back().cycles;
  };
  output::publish(options.json, simulate, result,
                  {[&] {
                     if (trace) trace->finish(clock.time_of(base::Cycles(now)));
                   },
                   [&] { write_link_table(options, report); }, [&] { draw_links(options, report); }});
}

template <class Choice, std::size_t count>
void add_choice(CLI::App& command, const std::string& flag, Choice& value, const std::array<Choice, count>& choices,
                const std::string& what, const std::string& help) {
  std::vector<std::string> names;
  std::string form;
  for (Choice choice : choices) {
    names.emplace_back(to_string(choice));
    form += (form.empty() ? "" : "|") + names.back();
  }
  command
      .add_option_function<std::string>(
          flag,
          [=, &value](const std::string& text) { value = choices[base::host::parse_choice(flag, text, what, names)]; },
          help)
      ->option_text(form);
}

template <class Integer>
void add_number(CLI::App& command, const std::string& flag, Integer& value, std::int64_t least, std::int64_t most,
                const std::string& help) {
  command
      .add_option_function<std::string>(
          flag,
          [=, &value](const std::string& text) {
            value = Integer(base::host::parse_whole_number(flag, text, least, most));
          },
          help)
      ->option_text("N");
}

void add_traffic_flags(CLI::App& command, const Shared& options) {
  add_choice(command, "--pattern", options->load.pattern, patterns, "a pattern", "Who sends to whom [uniform]");
  command
      .add_option_function<std::string>(
          "--load", [options](const std::string& text) { options->loads = parse_loads(text); },
          "Flits per node and cycle, such as 0.2 or 0.1,0.2")
      ->option_text("L");
  command.add_flag("--sweep", options->sweep, "Loads in steps of 0.05 up to saturation, and where that is");
  add_number(command, "--packet-flits", options->load.packet_flits, 1, 65535, "Flits of a packet [1]");
  add_number(command, "--seed", options->load.seed, 0, std::numeric_limits<std::int64_t>::max(),
             "Of packets, ties and bit errors [1]");
  add_number(command, "--window", options->load.window, 1, 1000000,
             "Cycles of a window of warm-up and of a batch [1000]");
}

void add_network_flags(CLI::App& command, const Shared& options) {
  noc::router::RouterParameters& router = options->load.network.router;
  command.add_option("--slice", options->slice, "Nodes per dimension [8x8]")->option_text("AxB");
  command.add_option("--wrap", options->wrap, "Dimensions with wrap links, such as x or x,y [all]")
      ->option_text("all|none|DIMENSIONS");
  add_number(command, "--vcs", router.vcs, 1, 64, "Virtual channels per port [2]");
  add_number(command, "--buffer-flits", router.buffer_flits, 1, 65535, "Flits of a virtual channel's buffer [8]");
  add_number(command, "--channel-cycles", options->channel_cycles, 1, 100000, "Latency of a link and its credits [2]");
  add_choice(command, "--switching", router.switching,
             std::array{noc::router::Switching::wormhole, noc::router::Switching::virtual_cut_through},
             "a kind of switching", "When a packet's head may go on [wormhole]");
  add_choice(command, "--allocation", router.allocation,
             std::array{noc::router::Allocation::islip, noc::router::Allocation::round_robin}, "a kind of allocation",
             "Of virtual channels and of the switch [islip]");
  add_choice(command, "--arbitration", router.arbitration,
             std::array{noc::router::Arbitration::fair, noc::router::Arbitration::rotary}, "a kind of arbitration",
             "Every flit by its turn, or a packet as a whole and those that\nenter last [fair]");
  add_number(command, "--iterations", router.iterations, 1, 64, "Of both allocators [1]");
  add_choice(
      command, "--vc-classes", router.vc_classes,
      std::array{noc::router::VcClasses::destination, noc::router::VcClasses::dateline, noc::router::VcClasses::none},
      "a split", "Which virtual channels a packet takes on a ring [destination]");
  add_choice(command, "--ties", options->load.ties,
             std::array{noc::router::TieBreak::random, noc::router::TieBreak::positive}, "a rule",
             "The way to a node half around a ring [random]");
  add_number(command, "--route-cycles", router.route_cycles, 0, 1000, "Pipeline stage [1]");
  add_number(command, "--vc-cycles", router.vc_cycles, 1, 1000, "Pipeline stage [1]");
  add_number(command, "--switch-cycles", router.switch_cycles, 1, 1000, "Pipeline stage [1]");
  add_number(command, "--traversal-cycles", router.traversal_cycles, 1, 1000, "Pipeline stage [1]");
  command
      .add_option("--fault", options->faults,
                  "Such as 'dead-link:(0,0)x+', 'slow-link:(1,0)y-:0.5',\n'dead-chip:(2,2)', 'bit-errors:1e-9' or "
                  "'stalls:0.2'; "
                  "may\nbe repeated")
      ->option_text("FAULT")
      ->allow_extra_args(false);
}

void add_network_output_flags(CLI::App& command, const Shared& options) {
  command.add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(command, "--links-csv", options->csv, "What every link carried, at the last load");
  options::add_file_option(command, "--links-svg", options->svg,
                           "The grid with its links coloured by use, at the last load");
  auto* vcd = options::add_file_option(command, "--vcd", options->vcd,
                                       "Waveform of routers and links, with a GTKWave save file\n(.gtkw) beside it");
  command
      .add_option("--trace", options->trace,
                  "Signals in the waveform, such as 'router(0,0).*' [all];\nmay be repeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
}

}  // namespace

void add_network(CLI::App& program) {
  auto options = std::make_shared<NetworkOptions>();
  CLI::App* network =
      program.add_subcommand("network", "Run synthetic traffic through a network of routers, flit by flit")
          ->group("Commands");
  add_traffic_flags(*network, options);
  add_network_flags(*network, options);
  options::add_limit_option(*network);
  add_network_output_flags(*network, options);
  network->footer(R"(Examples:
  podsim network --load 0.2
  podsim network --sweep --vcs 4
  podsim network --pattern tornado --slice 16x16 --load 0.1 --links-svg links.svg
  podsim network --load 0.1 --fault 'dead-link:(0,0)x+' --links-csv links.csv)");
  network->callback([options] { run_network(*options); });
}

}  // namespace podsim::app::commands
