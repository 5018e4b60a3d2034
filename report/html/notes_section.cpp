// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include "base/text/percent.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"

namespace podsim::report::html {
namespace {

using Json = nlohmann::ordered_json;

std::string list_html(const Json& texts, std::string_view css_class) {
  std::string items;
  for (const Json& text : texts) items += "<li>" + html_escaped(text.get<std::string>()) + "</li>";
  return items.empty() ? "" : fmt::format("<ul class=\"{}\">{}</ul>", css_class, items);
}

std::string loops_html(const Json& stats) {
  HtmlTable table{.caption = "Loops of a step", .columns = {{"loop"}, {"trips", true}, {"time", true}, {""}}};
  for (const Json& loop : stats.value("loops", Json::array())) {
    const double time = loop.value("time_s", 0.0);
    table.rows.push_back({code_cell(loop.value("name", "")),
                          number_cell(loop.value("trips", 0.0), count_text(loop.value("trips", std::int64_t(0)))),
                          number_cell(time, si_text(time, "s")),
                          text_cell(loop.value("trips_known", true) ? "" : "how many trips is not known")});
  }
  return table.rows.empty() ? "" : html_table(table);
}

std::string stages_html(const Json& stats) {
  const bool is_pipeline = !stats.contains("operators");
  HtmlTable table{.caption = is_pipeline ? "Stages of the pipeline" : "Cores with operations of their own",
                  .columns = {{"first core", true},
                              {"cores", true},
                              {"compute", true},
                              {"transfers", true},
                              {"waits", true},
                              {"idle", true}}};
  for (const Json& stage : stats.value("stages", Json::array())) {
    const auto number = [&](const char* key) { return stage.value(key, 0.0); };
    table.rows.push_back({number_cell(number("first_core"), fmt::format("{}", number("first_core"))),
                          number_cell(number("cores"), fmt::format("{}", number("cores"))),
                          number_cell(number("compute_s"), si_text(number("compute_s"), "s")),
                          number_cell(number("transfer_s"), si_text(number("transfer_s"), "s")),
                          number_cell(number("waiting_s"), si_text(number("waiting_s"), "s")),
                          number_cell(number("idle_share"), base::text::percent(number("idle_share")))});
  }
  return table.rows.empty() ? "" : html_table(table);
}

/// The ways to share operations out to cores of their own, and the same batch on all cores.
std::string operators_html(const Json& stats) {
  if (!stats.contains("operators")) return "";
  const Json& operators = stats.at("operators");
  HtmlTable table{.caption = "Ways to share the operations out to cores",
                  .columns = {{"way"}, {"step", true}, {"estimate", true}}};
  const auto add = [&table](const Json& way) {
    const auto seconds = [&way](const char* key) {
      const double value = way.value(key, 0.0);
      return value > 0 ? number_cell(value, si_text(value, "s")) : text_cell("");
    };
    table.rows.push_back({text_cell(way.value("name", "")), seconds("step_s"), seconds("estimated_step_s")});
  };
  for (const Json& way : operators.value("tried", Json::array())) add(way);
  if (operators.contains("data_parallel")) add(operators.at("data_parallel"));
  return html_table(table);
}

std::string banks_html(const Json& stats) {
  if (!stats.contains("memory_banks")) return "";
  const Json& banks = stats.at("memory_banks");
  HtmlTable table{.caption = "The costliest ops with the HBM bank by bank",
                  .columns = {{"op"}, {"in a step", true}, {"as streams", true}, {"over banks", true}}};
  for (const Json& op : banks.at("ops")) {
    const double streams = op.value("streams_s", 0.0), over = op.value("banks_s", 0.0);
    table.rows.push_back({text_cell(op.value("op", "")),
                          number_cell(op.value("count", 0.0), count_text(op.value("count", std::int64_t(0)))),
                          number_cell(streams, si_text(streams, "s")), number_cell(over, si_text(over, "s"))});
  }
  const double step = banks.value("step_time_s", 0.0);
  return html_table(table) + fmt::format("<p>The step would take {}.</p>", html_figure(step, si_text(step, "s", 6)));
}

std::string parts_html(const Json& stats) {
  if (!stats.contains("chip_parts")) return "";
  HtmlTable table{.caption = "Ops through granules, on-chip switch and banks of the first chip",
                  .columns = {{"op"}, {"in a step", true}, {"as streams", true}, {"through the parts", true}}};
  for (const Json& op : stats.at("chip_parts").at("ops")) {
    const double streams = op.value("streams_s", 0.0), parts = op.value("parts_s", 0.0);
    table.rows.push_back({text_cell(op.value("op", "")),
                          number_cell(op.value("count", 0.0), count_text(op.value("count", std::int64_t(0)))),
                          number_cell(streams, si_text(streams, "s")), number_cell(parts, si_text(parts, "s"))});
  }
  return html_table(table);
}

}  // namespace

std::string notes_html(const RunFiles& files) {
  const Json& stats = files.stats();
  const std::string warnings = list_html(stats.value("warnings", Json::array()), "warnings");
  const std::string notes = list_html(stats.value("notes", Json::array()), "notes");
  std::string text = warnings.empty() ? "<p>No warnings.</p>" : "<h3>Warnings</h3>" + warnings;
  if (!notes.empty()) text += "<h3>How it was simulated</h3>" + notes;
  text += fmt::format(
      "<p class=\"note\">Simulated {} of {} chips at detail “{}”. Times are of one core of the first chip, "
      "the one that waits least in collectives: the one that the others wait for.</p>",
      count_text(stats.value("simulated_chips", std::int64_t(0))), count_text(stats.value("chips", std::int64_t(0))),
      html_escaped(stats.value("detail", std::string())));
  return text + loops_html(stats) + operators_html(stats) + stages_html(stats) + banks_html(stats) + parts_html(stats);
}

std::string again_html(const RunFiles& files) {
  const Json& manifest = files.folder.manifest;
  std::string text =
      fmt::format("<pre><code>{}</code></pre>\n", html_escaped(manifest.value("command_line", std::string())));
  HtmlTable table{.caption = "What else is in the folder", .columns = {{"file"}, {"what it is"}}};
  const Json files_there = manifest.value("files", Json::object());
  for (const auto& [name, description] : files_there.items()) {
    table.rows.push_back({code_cell(name), text_cell(description.is_string() ? description.get<std::string>() : "")});
  }
  return text + html_table(table);
}

}  // namespace podsim::report::html
