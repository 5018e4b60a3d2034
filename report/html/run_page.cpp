// SPDX-License-Identifier: Apache-2.0
#include "report/html/run_page.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/text/counted.h"
#include "report/html/html_page.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/run/json_fault.h"

namespace podsim::report::html {
namespace {

std::string subtitle(const RunFiles& files) {
  const auto& stats = files.stats();
  std::string text = base::text::counted(stats.value("chips", 0), "chip") + ", " +
                     base::text::counted(stats.value("cores", 0), "core");
  if (stats.value("batch_per_core", 0) > 0)
    text += fmt::format(", batch {} per core", stats.value("batch_per_core", 0));
  text += fmt::format(", {} in a step", base::text::counted(stats.value("ops_per_step", 0), "op"));
  if (stats.value("partial", false)) text += "; interrupted, figures of what ran";
  return text;
}

std::string timeline_intro(const RunFiles& files) {
  return fmt::format(
      "<p class=\"note\">{} of chip (0,0), core 0. Drag or pinch; Ctrl and the wheel zoom, and so do + and "
      "− of the keyboard. A span leads to its op in the table.</p>\n",
      files.whole_step ? "The last whole step" : "All that ran, less than a step,");
}

HtmlPage page_of(const RunFiles& files) {
  const auto& stats = files.stats();
  const CategoryColors colors(files.ops);
  const RunData data = run_data(files, colors);
  HtmlPage page;
  page.title =
      fmt::format("{} on {} slice of {}", stats.value("workload", std::string()),
                  base::text::with_article(stats.value("slice", std::string())), stats.value("machine", std::string()));
  page.kicker = "A step, simulated";
  page.subtitle = subtitle(files);
  page.sections = {
      {"figures", "Figures", headline_html(files)},
      {"breakdown", "Where the step goes", breakdown_html(files, colors)},
      {"activity", "Activity", activity_html(files)},
      {"job", "The job", job_html(files)},
      {"roofline", "Roofline", roofline_html(files, colors)},
      {"energy", "Energy", energy_html(files, colors)},
      {"ops", "Ops",
       data.op_note + "<div id=\"op-table\"><p class=\"needs-script\">The table of ops needs scripts; "
                      "ops.csv has all of it.</p></div>"},
      {"timeline", "Timeline",
       timeline_intro(files) + data.timeline_note +
           "<div id=\"timeline-chart\"><p class=\"needs-script\">The timeline needs scripts; "
           "timeline.json opens at ui.perfetto.dev.</p></div>"},
      {"links", "Links", link_html(files)},
      {"memory", "Memory", memory_html(files)},
      {"mesh", "Mesh", mesh_html(files)},
      {"machine", "Machine", machine_html(files)},
      {"assumptions", "Assumptions in use", assumptions_html(files)},
      {"notes", "Warnings and notes", notes_html(files)},
      {"again", "Run it again", again_html(files)},
  };
  page.data = {{"run-data", data.json}};
  page.scripts = {"run.js"};
  page.footer = files.folder.manifest.value("program", std::string("podsim"));
  return page;
}

}  // namespace

std::string run_page(const RunFiles& files) {
  try {
    return html_page(page_of(files));
  } catch (const nlohmann::ordered_json::exception&) {
    run::reject_json({files.folder.path / "stats.json", files.folder.path / "manifest.json"});
  }
}

}  // namespace podsim::report::html
