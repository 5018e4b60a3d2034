// SPDX-License-Identifier: Apache-2.0
#include "report/memory_calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "hw/memory/dram/stream_rates.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;

struct NamedShape {
  std::string name;
  hw::AccessShape shape;
};

/// The shapes whose rates are shown: every kind of transfer, from long rows to short ones.
std::vector<NamedShape> shown_shapes() {
  std::vector<NamedShape> shapes{{"contiguous", {}}};
  for (const std::int64_t row : {8192, 2048, 512, 128, 32}) {
    shapes.push_back(
        {fmt::format("rows of {} B, gaps of {} B", row, 2 * row), hw::AccessShape::rows(base::Bytes(row), 3 * row)});
  }
  for (const std::int64_t row : {1024, 512, 128, 32}) {
    shapes.push_back({fmt::format("rows of {} B anywhere in 1 GiB", row),
                      hw::AccessShape::scattered(base::Bytes(row), base::Bytes(std::int64_t(1) << 30))});
  }
  return shapes;
}

std::string rates_table(const std::vector<SustainedRates>& rates) {
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.row({"GB/s", "read", "write", "both at once"});
  for (const SustainedRates& of : rates) {
    table.row(
        {of.shape, fmt::format("{:.1f}", of.read), fmt::format("{:.1f}", of.written), fmt::format("{:.1f}", of.both)});
  }
  return table.text();
}

std::vector<hw::memory::banks::StreamComparison> by_error(
    std::vector<hw::memory::banks::StreamComparison> comparisons) {
  std::ranges::stable_sort(
      comparisons, std::ranges::greater{},
      [](const hw::memory::banks::StreamComparison& comparison) { return std::abs(comparison.error()); });
  return comparisons;
}

std::string worst_streams_table(const MemoryCalibrationReport& report) {
  base::text::TextTable table({Align::right, Align::right, Align::right, Align::left});
  table.row({"banks", "streams", "error", "the largest errors"});
  std::vector<hw::memory::banks::StreamComparison> worst = by_error(report.comparisons);
  worst.resize(std::min<std::size_t>(worst.size(), 5));
  for (const hw::memory::banks::StreamComparison& comparison : worst) {
    table.row({std::to_string(comparison.banks.value()), std::to_string(comparison.streams.value()),
               base::text::signed_percent(comparison.error(), 2), hw::memory::banks::to_string(comparison.requests)});
  }
  return table.text();
}

Json requests_json(const std::vector<hw::memory::banks::StreamRequest>& requests) {
  Json list = Json::array();
  for (const hw::memory::banks::StreamRequest& request : requests) {
    list.push_back({{"direction", request.direction == hw::Direction::read ? "read" : "write"},
                    {"bytes", request.bytes.value()},
                    {"row_bytes", request.shape.row.value()},
                    {"pitch_bytes", request.shape.pitch},
                    {"span_bytes", request.shape.span.value()},
                    {"arrival_cycles", request.arrival.value()}});
  }
  return list;
}

}  // namespace

std::vector<SustainedRates> sustained_rates(const hw::Machine& machine) {
  hw::memory::dram::StreamRates measured(machine.dram, machine.dma.granules);
  std::vector<SustainedRates> rates;
  for (const auto& [name, shape] : shown_shapes()) {
    const auto together = measured.together(shape, shape);
    rates.push_back({name, measured.alone(hw::Direction::read, shape).si() * 1e-9,
                     measured.alone(hw::Direction::write, shape).si() * 1e-9, (together[0] + together[1]).si() * 1e-9});
  }
  return rates;
}

double MemoryCalibrationReport::median_error() const {
  std::vector<double> errors;
  for (const hw::memory::banks::StreamComparison& comparison : comparisons)
    errors.push_back(std::abs(comparison.error()));
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + std::ptrdiff_t(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return *middle;
}

double MemoryCalibrationReport::worst_error() const { return comparisons.empty() ? 0 : std::abs(worst().error()); }

const hw::memory::banks::StreamComparison& MemoryCalibrationReport::worst() const {
  return *std::ranges::max_element(comparisons, {}, [](const hw::memory::banks::StreamComparison& comparison) {
    return std::abs(comparison.error());
  });
}

std::string memory_calibration_text(const MemoryCalibrationReport& report) {
  const hw::parts::hbm::Parameters& hbm = report.machine.hbm;
  std::string text = fmt::format("{}: what transfers sustain at one core's half of the HBM, measured on its banks\n\n",
                                 report.machine.name);
  text += rates_table(report.rates);
  text += fmt::format(
      "\nhbm.stream_rate {:.1f} GB/s, hbm.write_cost {:.4f}, hbm.turnaround {:.4f}\n"
      "\ncycles of the core for random traffic of one to eight descriptors, by banks and by streams\n\n",
      hbm.stream_rate.si() * 1e-9, hbm.write_cost, hbm.turnaround);
  text += worst_streams_table(report);
  text += fmt::format("\n{} patterns: median error {}, worst {}\n", report.comparisons.size(),
                      base::text::percent(report.median_error(), 2), base::text::percent(report.worst_error(), 2));
  return text;
}

std::string memory_calibration_json(const MemoryCalibrationReport& report) {
  Json patterns = Json::array(), rates = Json::array();
  for (const hw::memory::banks::StreamComparison& comparison : report.comparisons) {
    patterns.push_back({{"requests", requests_json(comparison.requests)},
                        {"bank_cycles", comparison.banks.value()},
                        {"stream_cycles", comparison.streams.value()},
                        {"error", comparison.error()}});
  }
  for (const SustainedRates& of : report.rates) {
    rates.push_back({{"shape", of.shape},
                     {"read_bytes_per_s", of.read * 1e9},
                     {"write_bytes_per_s", of.written * 1e9},
                     {"both_bytes_per_s", of.both * 1e9}});
  }
  const Json json = {{"schema_version", 1},
                     {"command", "calibrate memory"},
                     {"machine", report.machine.name},
                     {"rates", rates},
                     {"stream_rate_bytes_per_s", report.machine.hbm.stream_rate.si()},
                     {"write_cost", report.machine.hbm.write_cost},
                     {"turnaround", report.machine.hbm.turnaround},
                     {"patterns", patterns},
                     {"median_error", report.median_error()},
                     {"worst_error", report.worst_error()},
                     {"warnings", Json::array()},
                     {"wall_s", report.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
