// SPDX-License-Identifier: Apache-2.0
#include "app/commands/memory_run.h"

#include <algorithm>

#include "app/options/keys_without_effect.h"
#include "app/output/partial_result.h"
#include "app/output/trace_file.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/progress.h"
#include "report/chip_memory_report.h"
#include "report/memory_report.h"
#include "sw/target_machine.h"

namespace podsim::app::commands {
namespace {

using hw::memory::banks::HalfTraffic;
using hw::memory::banks::TrafficEnd;

/// One half of the HBM, bank by bank.
void run_half(const MemoryOptions& options) {
  const auto begin = base::host::HostClock::now();
  const base::Config config = options.machine.load();
  const hw::Machine machine = sw::read_target(config);
  options::warn_of_keys_without_effect(config, {base::parameters::KeyLevel::banks});
  report::MemoryReport report{machine.name, machine.dram, options.pattern, {}, 0};
  const std::vector<hw::memory::dram::MemoryStream> streams =
      hw::memory::dram::streams_of(options.pattern, machine.hbm.capacity_per_core);
  std::optional<output::TraceFile> trace;
  if (!options.vcd.empty()) trace.emplace(options.vcd, options.trace);
  base::Progress progress("simulating");
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? report::memory_json(report) : report::memory_text(report);
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

void warn_of_keys(const base::Config& config, TrafficEnd end) {
  using enum base::parameters::KeyLevel;
  switch (end) {
    case TrafficEnd::host:
      return options::warn_of_keys_without_effect(config, {banks, chip, ops});
    case TrafficEnd::neighbour:
      return options::warn_of_keys_without_effect(config, {banks, chip, collectives});
    default:
      return options::warn_of_keys_without_effect(config, {banks, chip});
  }
}

/// The time of the halves bank by bank, without DMA engines and switch: that of the slowest.
base::Time time_over_banks(const hw::Machine& machine, const std::vector<HalfTraffic>& halves) {
  base::Cycles clocks;
  for (const HalfTraffic& streams : halves) {
    clocks = std::max(clocks, hw::memory::dram::run_memory_traffic(machine.dram, streams, machine.dma.granules).clocks);
  }
  return base::Clock(machine.dram.clock).time_of(clocks);
}

/// All cores of a chip, through their DMA engines and the on-chip switch.
void run_chip(const MemoryOptions& options) {
  const auto begin = base::host::HostClock::now();
  const base::Config config = options.machine.load();
  report::ChipMemoryReport report;
  report.machine = sw::read_target(config);
  report.traffic = {options.at.value_or(TrafficEnd::own), options.pattern};
  warn_of_keys(config, report.traffic.end);
  std::vector<HalfTraffic> halves;
  base::host::locate_errors("--at", std::string(hw::memory::banks::to_string(report.traffic.end)),
                            [&] { halves = hw::memory::banks::halves_of(report.machine, report.traffic); });
  report.halves = halves.size();
  std::optional<output::TraceFile> trace;
  if (!options.vcd.empty()) trace.emplace(options.vcd, options.trace);
  base::Progress progress("simulating");
  const auto result = [&] {
    report.wall_s = base::host::seconds_since(begin);
    return options.json ? report::chip_memory_json(report) : report::chip_memory_text(report);
  };
  const auto simulate = [&] {
    report.result =
        hw::memory::banks::run_chip_traffic(report.machine, report.traffic, trace ? &*trace : nullptr,
                                            {[&](double fraction) { progress.update(fraction); }, &report.result});
    if (trace) trace->check_patterns();
    if (halves.empty() || report.traffic.end == TrafficEnd::neighbour) return;  // PCIe or a link is the limit
    report.over_banks = time_over_banks(report.machine, halves);
    report.over_streams = hw::memory::banks::stream_time(report.machine, halves);
  };
  output::publish(options.json, simulate, result, {[&] {
                    if (trace) trace->finish(report.result.time);
                  }});
}

}  // namespace

void run_memory(const MemoryOptions& options) {
  if (options.at && !options.through_switch) {
    throw base::InputError("--at chooses the memory of traffic through the switch", "add --through switch");
  }
  base::host::throw_on_interrupt();
  if (options.through_switch) return run_chip(options);
  run_half(options);
}

}  // namespace podsim::app::commands
