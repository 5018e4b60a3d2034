// SPDX-License-Identifier: Apache-2.0
#include "report/contention_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;
using hw::chip::ContentionComparison;
using hw::chip::ContentionTimes;
using Kind = hw::chip::TrafficBeside::Kind;

constexpr double close = 0.05;
constexpr std::size_t max_shown = 5;

double error(const ContentionComparison& pair) {
  return std::abs(hw::chip::relative_error(pair.law.both(), pair.banks.both()));
}

std::string in_microseconds(base::Time time) { return fmt::format("{:.1f}", double(time.value()) * 1e-6); }

std::vector<ContentionComparison> of_kind(const std::vector<ContentionComparison>& all, Kind kind) {
  std::vector<ContentionComparison> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const ContentionComparison& pair) { return pair.pair.traffic.kind == kind; });
  return found;
}

std::string errors_table(const ContentionReport& report) {
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.row({"op beside", "pairs", "mean error", "within 5 %"});
  const auto row = [&](const std::string& name, const std::vector<ContentionComparison>& pairs) {
    if (pairs.empty()) return;
    const ContentionErrors errors = contention_errors(pairs);
    table.row(
        {name, std::to_string(errors.pairs), base::text::percent(errors.mean), base::text::percent(errors.within)});
  };
  for (const Kind kind : {Kind::collective, Kind::copy, Kind::infeed}) {
    row(hw::chip::to_string(kind), of_kind(report.comparisons, kind));
  }
  row("all", report.comparisons);
  return table.text();
}

std::string worst_table(const ContentionReport& report) {
  std::vector<ContentionComparison> worst = report.comparisons;
  std::ranges::stable_sort(worst, std::ranges::greater{}, error);
  worst.resize(std::min(worst.size(), max_shown));
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.row({"the largest errors, us", "read", "written", "op alone", "banks", "law"});
  for (const ContentionComparison& pair : worst) {
    table.row({hw::chip::to_string(pair.pair.traffic.kind), base::to_string(pair.pair.traffic.read),
               base::to_string(pair.pair.traffic.written), in_microseconds(pair.op_alone),
               in_microseconds(pair.banks.both()), in_microseconds(pair.law.both())});
  }
  return table.text();
}

Json times_json(const ContentionTimes& times) {
  return {{"op_s", double(times.op.value()) * 1e-12}, {"traffic_s", double(times.traffic.value()) * 1e-12}};
}

}  // namespace

ContentionErrors contention_errors(const std::vector<ContentionComparison>& comparisons) {
  ContentionErrors errors;
  errors.pairs = comparisons.size();
  if (comparisons.empty()) return errors;
  const double one = 1 / double(comparisons.size());
  for (const ContentionComparison& pair : comparisons) {
    errors.mean += one * error(pair);
    errors.within += error(pair) <= close ? one : 0;
  }
  return errors;
}

std::string contention_text(const ContentionReport& report) {
  return fmt::format("{}: an op and other traffic on one half of the HBM, until both are done, against the banks\n\n",
                     report.machine.name) +
         errors_table(report) + "\n" + worst_table(report);
}

std::string contention_json(const ContentionReport& report) {
  Json pairs = Json::array();
  for (const ContentionComparison& pair : report.comparisons) {
    pairs.push_back({{"beside", hw::chip::to_string(pair.pair.traffic.kind)},
                     {"read_bytes", pair.pair.traffic.read.value()},
                     {"written_bytes", pair.pair.traffic.written.value()},
                     {"pace_bytes_per_s", pair.pair.traffic.pace.si()},
                     {"op_alone_s", double(pair.op_alone.value()) * 1e-12},
                     {"banks", times_json(pair.banks)},
                     {"law", times_json(pair.law)}});
  }
  const ContentionErrors errors = contention_errors(report.comparisons);
  const Json json = {{"schema_version", 1},
                     {"command", "calibrate contention"},
                     {"machine", report.machine.name},
                     {"pairs", pairs},
                     {"mean_error", errors.mean},
                     {"within_5_percent", errors.within},
                     {"warnings", Json::array()},
                     {"wall_s", report.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
