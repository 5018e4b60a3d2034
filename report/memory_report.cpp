// SPDX-License-Identifier: Apache-2.0
#include "report/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;

struct ShareText {
  hw::memory::dram::BusShare share;
  const char* meaning;
};

constexpr ShareText share_texts[] = {
    {hw::memory::dram::BusShare::read, "read data"},
    {hw::memory::dram::BusShare::write, "write data"},
    {hw::memory::dram::BusShare::turnaround, "between reads and writes"},
    {hw::memory::dram::BusShare::row, "a row is closed and opened"},
    {hw::memory::dram::BusShare::bank_group, "the same bank group again (tCCD_L)"},
    {hw::memory::dram::BusShare::refresh, "a bank is being refreshed"},
    {hw::memory::dram::BusShare::command_bus, "the other pseudo-channel has the command bus"},
    {hw::memory::dram::BusShare::idle, "no request waits"},
};
static_assert(std::size(share_texts) == hw::memory::dram::bus_share_count);

double share_of_pins(const hw::memory::dram::BusShares& shares, hw::memory::dram::BusShare share) {
  const std::int64_t all = shares.total().value();
  return all == 0 ? 0 : double(shares.of(share).value()) / double(all);
}

}  // namespace

std::string memory_title(const std::string& machine, const hw::memory::dram::MemoryPattern& pattern) {
  std::string text =
      fmt::format("{}: {} {}", machine, hw::memory::dram::to_string(pattern.kind), base::to_string(pattern.bytes));
  if (pattern.kind == hw::memory::dram::MemoryPattern::Kind::mixed) {
    text += fmt::format(", {} x {} : {} streams of reads : writes", pattern.streams, pattern.reads, pattern.writes);
  } else {
    text += pattern.direction == hw::Direction::read ? ", reads" : ", writes";
  }
  if (pattern.kind == hw::memory::dram::MemoryPattern::Kind::strided) {
    text +=
        fmt::format(", rows of {} every {}", base::to_string(pattern.row), base::to_string(base::Bytes(pattern.pitch)));
  }
  if (pattern.kind == hw::memory::dram::MemoryPattern::Kind::random) {
    text += fmt::format(", rows of {}, seed {}", base::to_string(pattern.row), pattern.seed);
  }
  if (pattern.kind != hw::memory::dram::MemoryPattern::Kind::mixed && pattern.streams > 1) {
    text += fmt::format(", {} streams at once", pattern.streams);
  }
  return text;
}

std::string shares_table(const hw::memory::dram::BusShares& shares) {
  base::text::TextTable table({Align::left, Align::right, Align::left});
  double total = 0;
  for (const ShareText& line : share_texts) {
    const double share = share_of_pins(shares, line.share);
    total += share;
    table.row({"  " + std::string(hw::memory::dram::to_string(line.share)), base::text::percent(share), line.meaning});
  }
  table.row({"  total", base::text::percent(total), ""});
  return table.text();
}

double MemoryReport::mean_latency_s() const {
  double sum = 0;
  for (base::Cycles latency : result.latencies) sum += double(latency.value());
  return result.latencies.empty() ? 0 : sum / double(result.latencies.size()) / parameters.clock.si();
}

double MemoryReport::latency_s(double fraction) const {
  if (result.latencies.empty()) return 0;
  const auto count = double(result.latencies.size());
  const auto rank = std::size_t(std::max(1.0, std::ceil(fraction * count)));  // nearest rank
  return double(result.latencies[rank - 1].value()) / parameters.clock.si();
}

double MemoryReport::share(hw::memory::dram::BusShare share) const { return share_of_pins(result.shares, share); }

std::string memory_text(const MemoryReport& report) {
  const hw::memory::dram::MemoryTrafficResult& result = report.result;
  const double pins = report.parameters.pin_rate().si();
  return memory_title(report.machine, report.pattern) +
         fmt::format(
             "\n\nbandwidth  {:.1f} GB/s, {} of the pins' {:.1f} GB/s\n"
             "time       {:.3f} us, {} clocks at {:.0f} MHz\n"
             "latency    mean {:.0f} ns, median {:.0f}, p99 {:.0f}, longest {:.0f}, of {} requests\n"
             "rows       {} opened, {} of {} bursts found theirs open; {} refreshes\n"
             "\nwhere the time of the data pins goes\n",
             report.bandwidth() * 1e-9, base::text::percent(report.bandwidth() / pins), pins * 1e-9,
             report.time_s() * 1e6, result.clocks.value(), report.parameters.clock.si() * 1e-6,
             report.mean_latency_s() * 1e9, report.latency_s(0.5) * 1e9, report.latency_s(0.99) * 1e9,
             report.latency_s(1) * 1e9, result.latencies.size(), result.activates,
             base::text::percent(result.row_hit_rate()), result.bursts, result.refreshes) +
         shares_table(result.shares) +
         fmt::format("\n{:.2f} s on this host, {:.2f} million bursts per second\n", report.wall_s,
                     double(result.bursts) / std::max(report.wall_s, 1e-9) * 1e-6);
}

std::string memory_json(const MemoryReport& report) {
  const hw::memory::dram::MemoryPattern& pattern = report.pattern;
  const hw::memory::dram::MemoryTrafficResult& result = report.result;
  Json shares = Json::object();
  for (const ShareText& line : share_texts)
    shares[std::string(hw::memory::dram::to_string(line.share))] = report.share(line.share);
  const Json json = {
      {"schema_version", 1},
      {"command", "memory"},
      {"machine", report.machine},
      {"pattern", hw::memory::dram::to_string(pattern.kind)},
      {"streams", pattern.streams},
      {"read_bytes", result.bytes[std::size_t(hw::Direction::read)].value()},
      {"written_bytes", result.bytes[std::size_t(hw::Direction::write)].value()},
      {"time_s", report.time_s()},
      {"bandwidth_bytes_per_s", report.bandwidth()},
      {"pin_rate_bytes_per_s", report.parameters.pin_rate().si()},
      {"latency_s", {{"mean", report.mean_latency_s()}, {"p99", report.latency_s(0.99)}, {"max", report.latency_s(1)}}},
      {"requests", result.latencies.size()},
      {"bursts", result.bursts},
      {"activates", result.activates},
      {"refreshes", result.refreshes},
      {"row_hit_rate", result.row_hit_rate()},
      {"shares", shares},
      {"warnings", Json::array()},
      {"wall_s", report.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
