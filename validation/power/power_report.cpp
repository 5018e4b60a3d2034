// SPDX-License-Identifier: Apache-2.0
// Part of validation/power/power_fit.h.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/shell_word.h"
#include "base/text/text_table.h"
#include "validation/power/power_fit.h"

namespace podsim::validation::power {
namespace {

/// A figure as the model has it, and as it has it if the other figures alone were known.
struct Judged {
  double model = 0, without = 0;
  double error(const SimulatedPower& row) const { return model / row.published.watts - 1; }
  double error_without(const SimulatedPower& row) const { return without / row.published.watts - 1; }
};

Judged judged(const std::vector<SimulatedPower>& rows, std::size_t row) {
  const PowerFactors others = fit_power(rows, row);
  return {watts(terms_of(rows[row])), watts(terms_of(rows[row], others), others)};
}

std::string line_of(const std::vector<std::string>& command) {
  std::string line = "podsim";
  for (const std::string& word : command) line += " " + base::text::shell_word(word);
  return line;
}

}  // namespace

std::string power_text(const std::vector<SimulatedPower>& rows) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::right, Align::left, Align::left, Align::left, Align::right, Align::right,
                               Align::right, Align::right, Align::left});
  table.row({"", "machine", "figure", "of", "published", "model", "error", "left out", "source"});
  std::string notes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PublishedPower& row = rows[i].published;
    std::vector<std::string> cells{fmt::to_string(i + 1), row.machine, to_string(row.figure),
                                   row.with_host ? "chip and host" : "chip", fmt::format("{:.0f} W", row.watts)};
    if (rows[i].steps.empty()) {
      cells.insert(cells.end(), {"-", "", "", row.source});
    } else {
      const Judged found = judged(rows, i);
      cells.insert(cells.end(), {fmt::format("{:.1f} W", found.model), base::text::signed_percent(found.error(rows[i])),
                                 base::text::signed_percent(found.error_without(rows[i])), row.source});
    }
    table.row(cells);
    for (const std::vector<std::string>& command : row.commands) {
      if (row.figure != PowerOf::nothing) notes += fmt::format("{:>3}  {}\n", i + 1, line_of(command));
    }
    for (const std::string& problem : rows[i].problems) notes += fmt::format("{:>3}  is without {}\n", i + 1, problem);
  }
  const PowerFactors all = fit_power(rows, rows.size());
  return table.text() +
         fmt::format(
             "\nleft out: the error if what a mm2 always draws, unit_overhead and host_share were fitted to the other "
             "rows, without one of the same steps\nfitted to all rows: {:.3f} of [energy] leakage and clock, {:.3f} of "
             "unit_overhead, {:.3f} of "
             "[site] host_share\n\n",
             all[0], all[1], all[2]) +
         notes;
}

std::string power_json(const std::vector<SimulatedPower>& rows) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PublishedPower& row = rows[i].published;
    Json json{{"machine", row.machine},      {"figure", to_string(row.figure)},
              {"with_host", row.with_host},  {"published_w", row.watts},
              {"source", row.source},        {"commands", row.commands},
              {"problems", rows[i].problems}};
    if (!rows[i].steps.empty()) {
      const Judged found = judged(rows, i);
      json["model_w"] = found.model;
      json["error"] = found.error(rows[i]);
      json["error_left_out"] = found.error_without(rows[i]);
      Json steps = Json::array();
      for (const PowerTerms& step : rows[i].steps) steps.push_back(watts(step));
      json["steps_w"] = steps;
    }
    list.push_back(json);
  }
  const PowerFactors all = fit_power(rows, rows.size());
  return base::text::json_text(
             Json{{"rows", list}, {"fitted", {{"always", all[0]}, {"unit_overhead", all[1]}, {"host_share", all[2]}}}},
             2) +
         "\n";
}

}  // namespace podsim::validation::power
