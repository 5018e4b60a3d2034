// SPDX-License-Identifier: Apache-2.0
#include "report/chip_memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/memory_report.h"

namespace podsim::report {
namespace {

using Json = nlohmann::ordered_json;
using TrafficEnd = hw::memory::banks::TrafficEnd;
using Align = base::text::TextTable::Align;

double seconds_of(base::Time time) { return base::to_duration(time).si(); }

double rate(base::Bytes bytes, base::Time time) {
  return time > base::Time(0) ? double(bytes.value()) / seconds_of(time) : 0;
}

/// The memory that cores use, as part of a sentence.
const char* end_text(TrafficEnd end) {
  switch (end) {
    case TrafficEnd::own:
      return "at its own half of the HBM";
    case TrafficEnd::other:
      return "at the other core's half of the HBM";
    case TrafficEnd::one:
      return "at the first core's half of the HBM";
    case TrafficEnd::host:
      return "at the host's memory";
    case TrafficEnd::neighbour:
      break;
  }
  return "at the HBM of the neighbouring chip";
}

std::string beside_line(const char* name, const std::optional<base::Time>& time, base::Time through) {
  if (!time) return "";
  const double left_out = double(through.value()) / double(std::max(*time, base::Time(1)).value()) - 1;
  return fmt::format("  {:<33}{:.3f} us; the parts of the chip make it {}\n", name, seconds_of(*time) * 1e6,
                     base::text::signed_percent(left_out));
}

std::string core_lines(const ChipMemoryReport& report) {
  std::string text;
  for (std::size_t core = 0; core < report.result.cores.size(); ++core) {
    const auto& done = report.result.cores[core];
    text += fmt::format("  core {:<3} {:.1f} GB/s, {:.3f} us\n", core, rate(done.moved, done.end) * 1e-9,
                        seconds_of(done.end) * 1e6);
  }
  return text;
}

std::string pins_text(const ChipMemoryReport& report) {
  if (report.halves == 0) return "";
  const double pins = double(report.halves) * report.machine.dram.pin_rate().si();
  return fmt::format(", {} of the pins' {:.1f} GB/s", base::text::percent(report.bandwidth() / pins), pins * 1e-9);
}

std::string ports_text(const ChipMemoryReport& report) {
  base::text::TextTable table({Align::left, Align::right, Align::right});
  table.row({"", "in", "out"});
  for (const auto& port : report.result.ports) {
    if (port.in == 0 && port.out == 0) continue;
    table.row({"  " + port.name, base::text::percent(port.in), base::text::percent(port.out)});
  }
  return "\nhow long packets occupy the ports of the on-chip switch\n" + table.text();
}

}  // namespace

double ChipMemoryReport::bandwidth() const { return rate(result.moved(), result.time); }

double ChipMemoryReport::mean_latency_s() const {
  base::Cycles sum;
  for (base::Cycles latency : result.latencies) sum += latency;
  if (result.latencies.empty()) return 0;
  return double(sum.value()) / double(result.latencies.size()) / machine.clock.si();
}

double ChipMemoryReport::latency_s(double fraction) const {
  if (result.latencies.empty()) return 0;
  const auto rank = std::size_t(std::max(1.0, std::ceil(fraction * double(result.latencies.size()))));  // nearest rank
  return double(result.latencies[rank - 1].value()) / machine.clock.si();
}

std::string chip_memory_text(const ChipMemoryReport& report) {
  const auto& result = report.result;
  std::string text =
      memory_title(report.machine.name, report.traffic.pattern) + "\n" +
      fmt::format("every core {}, through its DMA engine and the on-chip switch\n\n", end_text(report.traffic.end)) +
      fmt::format("bandwidth  {:.1f} GB/s{}\n{}", report.bandwidth() * 1e-9, pins_text(report), core_lines(report)) +
      fmt::format(
          "time       {:.3f} us\nlatency    mean {:.0f} ns, median {:.0f}, p99 {:.0f}, longest {:.0f}, of {} "
          "granules\n",
          seconds_of(result.time) * 1e6, report.mean_latency_s() * 1e9, report.latency_s(0.5) * 1e9,
          report.latency_s(0.99) * 1e9, report.latency_s(1) * 1e9, result.latencies.size());
  if (report.over_banks || report.over_streams) {
    text += "\nthe same traffic where DMA engines and switch are left out\n" +
            beside_line("bank by bank, every half alone", report.over_banks, result.time) +
            beside_line("as streams, the tile level", report.over_streams, result.time);
  }
  text += ports_text(report);
  if (result.bursts > 0) text += "\nwhere the time of the data pins goes\n" + shares_table(result.shares);
  return text + fmt::format("\n{:.2f} s on this host\n", report.wall_s);
}

std::string chip_memory_json(const ChipMemoryReport& report) {
  const auto& result = report.result;
  Json cores = Json::array(), ports = Json::array();
  for (const auto& core : result.cores) {
    cores.push_back({{"bytes", core.moved.value()},
                     {"time_s", seconds_of(core.end)},
                     {"bandwidth_bytes_per_s", rate(core.moved, core.end)}});
  }
  for (const auto& port : result.ports) ports.push_back({{"port", port.name}, {"in", port.in}, {"out", port.out}});
  Json json = {
      {"schema_version", 1},
      {"command", "memory"},
      {"machine", report.machine.name},
      {"through", "switch"},
      {"at", hw::memory::banks::to_string(report.traffic.end)},
      {"pattern", hw::memory::dram::to_string(report.traffic.pattern.kind)},
      {"streams", report.traffic.pattern.streams},
      {"bytes", result.moved().value()},
      {"time_s", seconds_of(result.time)},
      {"bandwidth_bytes_per_s", report.bandwidth()},
      {"cores", cores},
      {"latency_s", {{"mean", report.mean_latency_s()}, {"p99", report.latency_s(0.99)}, {"max", report.latency_s(1)}}},
      {"granules", result.latencies.size()},
      {"bursts", result.bursts},
      {"activates", result.activates},
      {"refreshes", result.refreshes},
      {"ports", ports}};
  if (report.over_banks) json["banks_time_s"] = seconds_of(*report.over_banks);
  if (report.over_streams) json["streams_time_s"] = seconds_of(*report.over_streams);
  json["warnings"] = Json::array();
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
