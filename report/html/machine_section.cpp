// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <map>

#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"

namespace podsim::report::html {
namespace {

TableCell badge(const std::string& evidence) {
  const bool user = evidence.find("user") != std::string::npos;
  return {
      fmt::format("<span class=\"badge {}\">{}</span>", user ? "user" : html_escaped(evidence), html_escaped(evidence)),
      {}};
}

}  // namespace

std::string machine_html(const RunFiles& files) {
  const CsvTable& machine = files.machine;
  HtmlTable table{.id = "machine-table",
                  .caption = "",
                  .columns = {{"key"}, {"value"}, {"evidence"}, {"source"}, {"set in"}},
                  .sortable = true,
                  .tall = true,
                  .filter_label = "Filter",
                  .choice_column = 2};
  std::map<std::string, int> counts;
  for (std::size_t row = 0; row < machine.rows(); ++row) {
    const std::string& evidence = machine.text(row, "evidence");
    ++counts[evidence];
    table.rows.push_back({code_cell(machine.text(row, "key")), text_cell(machine.text(row, "value")), badge(evidence),
                          text_cell(machine.text(row, "source")), code_cell(machine.text(row, "set in"))});
  }
  std::string list;
  for (const auto& [evidence, count] : counts)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, evidence);
  return fmt::format("<p>Every value the run was made with: {}.</p>", html_escaped(list)) + html_table(table);
}

std::string assumptions_html(const RunFiles& files) {
  const CsvTable& machine = files.machine;
  HtmlTable table{
      .id = "assumptions-table", .columns = {{"key"}, {"value"}, {"because"}}, .sortable = true, .tall = true};
  for (std::size_t row = 0; row < machine.rows(); ++row) {
    if (machine.text(row, "evidence") != "assumed") continue;
    table.rows.push_back({code_cell(machine.text(row, "key")), text_cell(machine.text(row, "value")),
                          text_cell(machine.text(row, "source"))});
  }
  if (table.rows.empty()) return "<p>None: every value is published, measured, derived or set by the user.</p>";
  return fmt::format(
             "<p>{} of {} values are neither published nor measured nor derived from such; what the run says "
             "rests on them.</p>",
             table.rows.size(), machine.rows()) +
         html_table(table);
}

}  // namespace podsim::report::html
