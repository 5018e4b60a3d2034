// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/percent.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

using Json = nlohmann::ordered_json;

struct Part {
  std::string name;
  double seconds = 0;
  std::string css_class;
};

/// A part of the step that the summary names, and its components.
struct Group {
  std::string name;
  double seconds = 0;
  std::vector<Part> parts;
};

Group group(const RunFiles& files, const CategoryColors& colors, const char* name, const char* key, auto&& is_in) {
  Group result{name, files.stats().at("breakdown_s").value(key, 0.0), {}};
  for (const std::string& category : colors.categories()) {
    double seconds = 0;
    for (const RunOp& op : files.ops) seconds += op.category == category && is_in(op) ? files.seconds_per_step(op) : 0;
    if (seconds > 0) result.parts.push_back({category, seconds, category_fill(colors.color(category))});
  }
  return result;
}

std::vector<Group> groups_of(const RunFiles& files, const CategoryColors& colors) {
  std::vector<Group> groups{
      group(files, colors, "Compute", "compute", [](const RunOp& op) { return !op.is_collective() && !op.is_host(); }),
      group(files, colors, "Collectives, exposed", "collective", [](const RunOp& op) { return op.is_collective(); }),
      group(files, colors, "Infeed", "infeed", [](const RunOp& op) { return op.category == "infeed"; }),
      group(files, colors, "Other", "other", [](const RunOp&) { return false; })};
  for (Group& entry : groups) {
    if (entry.parts.empty() && entry.seconds > 0) entry.parts.push_back({entry.name, entry.seconds, "fill-0"});
  }
  return groups;
}

std::string bar(const std::vector<Group>& groups, double step, double width) {
  const double top = 26, height = is_narrow(width) ? 34 : 42, inside = 7;
  const ChartScale scale = ChartScale::linear(0, step, 0, width);
  std::string body;
  double at = 0, labelled_to = -1e9;
  for (const Group& entry : groups) {
    if (entry.seconds <= 0) continue;
    const double from = scale.place(at), to = scale.place(at + entry.seconds);
    const std::string label = fmt::format("{} {}", entry.name, base::text::percent(entry.seconds / step));
    if (from > labelled_to && from + double(label.size()) * inside < width) {
      body += svg_line(from, top - 6, std::max(from, to - 2), top - 6, "axis") + svg_text(from, top - 12, label);
      labelled_to = from + double(label.size()) * inside;
    }
    for (const Part& part : entry.parts) {
      const double begin = scale.place(at), wide = scale.place(at + part.seconds) - begin;
      body += svg_rect(begin, top, wide, height, part.css_class + " outline",
                       tip_attribute(fmt::format("{}\n{}, {} of the step", part.name, si_text(part.seconds, "s"),
                                                 base::text::percent(part.seconds / step, 2))));
      if (wide > inside * double(part.name.size()) + 12 && part.css_class != "fill-0") {
        body += svg_text(begin + 7, top + height / 2 + 4, part.name, TextAnchor::start, "inside");
      }
      at += part.seconds;
    }
  }
  const PlotArea area{0, top, width, top + height};
  for (const double tick : scale.ticks(is_narrow(width) ? 3 : 6)) {
    const double x = scale.place(tick);
    const TextAnchor anchor = tick == 0 ? TextAnchor::start : x > width - 30 ? TextAnchor::end : TextAnchor::middle;
    body += svg_line(x, area.bottom, x, area.bottom + 5, "axis") +
            svg_text(x, area.bottom + 18, si_text(tick, "s"), anchor);
  }
  return svg_chart(width, top + height + 24, "What the step time is made of", body);
}

std::string table(const std::vector<Group>& groups, double step) {
  HtmlTable table{.caption = "A step of the reported core",
                  .columns = {{"part"}, {"time", true}, {"of the step", true}, {""}}};
  const auto row = [&](std::string name, double seconds, bool part = false) {
    const double share = seconds / step;
    table.rows.push_back({{std::move(name), {}},
                          number_cell(seconds, si_text(seconds, "s")),
                          number_cell(share, base::text::percent(share, 2)),
                          part ? bar_cell(share) : TableCell{}});
  };
  for (const Group& entry : groups) {
    row("<strong>" + html_escaped(entry.name) + "</strong>", entry.seconds);
    if (entry.parts.size() == 1 && entry.parts.front().css_class == "fill-0") continue;
    for (const Part& part : entry.parts) {
      row(fmt::format(
              "<span class=\"part\"><svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">{}</svg>{}</span>",
              svg_rect(0, 0, 10, 10, part.css_class), html_escaped(part.name)),
          part.seconds, true);
    }
  }
  row("<strong>Step</strong>", step);
  return html_table(table);
}

/// A table of the collectives of a step, with their times from the entry of the last core and their exposed times.
std::string collectives(const RunFiles& files) {
  const Json& list = files.stats().at("collectives");
  if (list.empty()) return "";

  HtmlTable table{.id = "collectives-table",
                  .caption = "Collectives of a step",
                  .columns = {{"kind"},
                              {"axes"},
                              {"type"},
                              {"payload of a core", true},
                              {"cores", true},
                              {"count", true},
                              {"time", true},
                              {"exposed", true},
                              {"algorithm"}},
                  .sortable = true,
                  .tall = true};
  std::vector<Json> costliest(list.begin(), list.end());
  std::ranges::stable_sort(costliest, std::ranges::greater{}, [](const Json& c) { return c.value("exposed_s", 0.0); });
  for (const Json& c : costliest) {
    const double bytes = c.value("bytes", 0.0), time = c.value("time_s", 0.0), exposed = c.value("exposed_s", 0.0);
    table.rows.push_back({text_cell(c.value("kind", "")), text_cell(c.value("axes", "")),
                          text_cell(c.value("dtype", "")), number_cell(bytes, si_text(bytes, "B")),
                          number_cell(c.value("group_size", 0.0), count_text(c.value("group_size", std::int64_t(0)))),
                          number_cell(c.value("count", 0.0), count_text(c.value("count", std::int64_t(0)))),
                          number_cell(time, si_text(time, "s")), number_cell(exposed, si_text(exposed, "s")),
                          text_cell(c.value("algorithm", ""))});
  }
  return html_table(table) +
         "<p class=\"note\">Time is from the last core that reaches a collective to the last that leaves it; "
         "exposed is what the reported core spent in it, waiting for later cores included.</p>";
}

}  // namespace

CategoryColors::CategoryColors(const std::vector<RunOp>& ops) {
  std::map<std::string, double> time;
  for (const RunOp& op : ops) {
    if (time.try_emplace(op.category, 0).second) categories_.push_back(op.category);
    time[op.category] += op.total_us();
  }
  std::ranges::stable_sort(categories_, std::ranges::greater{}, [&](const std::string& name) { return time[name]; });
}

int CategoryColors::color(std::string_view category) const {
  const auto found = std::ranges::find(categories_, category);
  const auto place = int(found - categories_.begin());
  return found == categories_.end() || place >= chart_categories ? -1 : place;
}

std::string breakdown_html(const RunFiles& files, const CategoryColors& colors) {
  const double step = files.step_s();
  if (step <= 0) return "<p>No step was completed.</p>";
  const std::vector<Group> groups = groups_of(files, colors);
  return html_chart(responsive_chart([&](double width) { return bar(groups, step, width); }), "") +
         table(groups, step) + collectives(files);
}

}  // namespace podsim::report::html
