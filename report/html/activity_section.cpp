// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "hw/activity.h"
#include "hw/machine.h"
#include "report/html/html_table.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"

namespace podsim::report::html {
namespace {

TableCell count_cell(double count, std::string_view unit) {
  return number_cell(count, si_text(count, unit == "B" ? "B" : ""));
}

/// A machine with the declared levels of memory that the counts of a run name.
hw::Machine machine_of(const nlohmann::ordered_json& counted) {
  const std::vector<hw::NamedCount> parts = hw::counts({}, {});
  hw::Machine machine;
  for (const auto& [part, counts] : counted.items()) {
    if (std::ranges::find(parts, part, &hw::NamedCount::part) != parts.end()) continue;
    machine.levels.emplace_back().name = part;
  }
  machine.levels.resize(std::min(machine.levels.size(), hw::Machine::max_levels));
  return machine;
}

}  // namespace

std::string activity_html(const RunFiles& files) {
  const auto& stats = files.stats();
  if (!stats.contains("activity")) return "";
  const auto& core = stats["activity"]["core"];
  const auto& slice = stats["activity"]["all_cores"];
  HtmlTable table{.id = "activity-table",
                  .caption = "A step, counted",
                  .columns = {{"part"}, {"count"}, {"reported core", true}, {"all cores", true}, {"unit"}, {"what"}}};
  for (const hw::NamedCount& count : hw::counts({}, machine_of(core))) {
    const auto in = [&](const nlohmann::ordered_json& all) {
      return all.value(count.part, nlohmann::ordered_json::object()).value(count.counter.name, 0.0);
    };
    if (in(core) == 0 && in(slice) == 0) continue;
    table.rows.push_back({text_cell(count.part), code_cell(count.counter.name),
                          count_cell(in(core), count.counter.unit), count_cell(in(slice), count.counter.unit),
                          text_cell(count.counter.unit), text_cell(count.counter.description)});
  }
  return html_table(table) +
         "<p class=\"note\">Counts do not depend on the level of detail. Those that are zero are left out; ops.csv has "
         "some of them for every op.</p>";
}

}  // namespace podsim::report::html
