// SPDX-License-Identifier: Apache-2.0
#include "report/serving/slices_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "base/units.h"
#include "report/run/joules_text.h"

namespace podsim::report::serving {
namespace {

std::string p99_text(double seconds) { return base::to_string(base::Duration(seconds)); }

const ServingReport* any_served(const SlicesReport& r) {
  for (const SlicesReport::Slice& slice : r.slices) {
    if (slice.served) return &*slice.served;
  }
  return nullptr;
}

/// With the slices that they are of; those of all slices alone.
std::vector<std::string> all_warnings(const SlicesReport& r) {
  std::map<std::string, std::string> slices_of;
  std::vector<std::string> warnings;
  std::size_t served = 0;
  for (const SlicesReport::Slice& slice : r.slices) {
    if (!slice.served) continue;
    ++served;
    for (const std::string& warning : slice.served->warnings) {
      std::string& slices = slices_of[warning];
      if (slices.empty()) warnings.push_back(warning);
      slices += (slices.empty() ? "" : ", ") + slice.name;
    }
  }
  for (std::string& warning : warnings) {
    const std::string& slices = slices_of[warning];
    if (std::size_t(std::ranges::count(slices, ',')) + 1 < served) warning = slices + ": " + warning;
  }
  return warnings;
}

}  // namespace

std::int64_t SlicesReport::smallest() const {
  std::int64_t best = -1;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (!meets(slices[i])) continue;
    if (best < 0 || slices[i].chips < slices[std::size_t(best)].chips) best = std::int64_t(i);
  }
  return best;
}

std::string slices_text(const SlicesReport& r) {
  std::string text;
  if (const ServingReport* served = any_served(r)) {
    text = fmt::format("{} on {}: {}\n", served->workload, served->machine, served->arrivals);
    if (!served->lengths.empty()) text += served->lengths + "\n";
    text += fmt::format("asked for: {} for {} of the requests\n\n", served->level.text(), base::text::percent(r.share));
  }
  using enum base::text::TextTable::Align;
  base::text::TextTable table({left, right, right, right, right, right, right, right, left});
  table.row({"slice", "chips", "requests/s", "TTFT p99", "TPOT p99", "latency p99", "a request", "meet it", ""});
  for (const SlicesReport::Slice& slice : r.slices) {
    if (!slice.served) {
      table.row(
          {slice.name, slice.chips > 0 ? fmt::format("{}", slice.chips) : "", "", "", "", "", "", "", slice.refusal});
      continue;
    }
    const auto& sum = slice.served->summary;
    const bool tokens = slice.served->plan.tokens;
    table.row({slice.name, fmt::format("{}", slice.chips), fmt::format("{:.4g}", sum.requests_per_s),
               tokens ? p99_text(sum.first_token.p99) : "", tokens ? p99_text(sum.per_token.p99) : "",
               p99_text(sum.latency.p99), run::joules_text(sum.joules_per_request),
               base::text::percent(sum.level_share, 2), r.meets(slice) ? "yes" : "no"});
  }
  text += table.text();
  const std::int64_t best = r.smallest();
  text += best < 0 ? std::string("\nnone of these slices meets it\n")
                   : fmt::format("\nthe smallest that meets it is {}: {}{}\n", r.slices[std::size_t(best)].name,
                                 base::text::counted(r.slices[std::size_t(best)].chips, "chip"),
                                 r.walked ? "; no slice of the machine with fewer does" : "");
  const std::vector<std::string> warnings = all_warnings(r);
  if (!warnings.empty()) text += "\n";
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  return text + fmt::format("\n{:.2f} s on this host\n", r.wall_s);
}

std::string slices_json(const SlicesReport& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SlicesReport::Slice& slice : r.slices) {
    nlohmann::ordered_json row = {{"slice", slice.name}, {"meets", r.meets(slice)}};
    if (slice.chips > 0) row["chips"] = slice.chips;
    if (slice.served) {
      row["served"] = nlohmann::ordered_json::parse(serving_json(*slice.served, false));
    } else {
      row["refusal"] = slice.refusal;
    }
    rows.push_back(std::move(row));
  }
  const std::int64_t best = r.smallest();
  nlohmann::ordered_json json = {{"schema_version", 1}, {"command", "serve"}, {"share", r.share}, {"walked", r.walked}};
  json["smallest"] = best < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(r.slices[std::size_t(best)].name);
  json["slices"] = std::move(rows);
  json["wall_s"] = r.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report::serving
