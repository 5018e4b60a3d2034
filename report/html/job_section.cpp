// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

using JobFigures = nlohmann::ordered_json;

constexpr double shown_steps = 6;  ///< in the chart of a loop's lanes

/// A row of a chart of lanes.
struct JobLane {
  std::string name;
  std::vector<const workloads::job::JobSpan*> spans;
};

/// The spans of `job` that begin before `to` and end after `from`, by lanes, in the order of the lanes.
std::vector<JobLane> lanes_within(const std::vector<workloads::job::JobSpan>& spans, base::Time from, base::Time to) {
  std::vector<JobLane> lanes;
  for (const workloads::job::JobSpan& span : spans) {
    const std::string name = span.group == "job" ? span.lane : span.group + ", " + span.lane;
    auto lane = std::ranges::find(lanes, name, &JobLane::name);
    if (lane == lanes.end()) lane = lanes.insert(lane, {name, {}});
    if (span.begin < to && span.end > from) lane->spans.push_back(&span);
  }
  std::erase_if(lanes, [](const JobLane& lane) { return lane.spans.empty(); });
  return lanes;
}

double in_s(base::Time time) { return base::to_duration(time).si(); }

int color_of(const workloads::job::JobSpan& span) {
  if (span.name.starts_with("waits") || span.name.starts_with("sends")) return -1;
  if (span.name.starts_with("evaluation") || span.name.find(" x evaluation") != std::string::npos) return 1;
  if (span.name == "checkpoint") return 2;
  if (span.name == "launch") return 3;
  return span.group == "job" ? 0 : 4;
}

std::string lane_chart(const std::vector<JobLane>& lanes, base::Time from, base::Time to, double width,
                       const std::string& label) {
  const double high = 20, gap = 6, left = is_narrow(width) ? 96 : 150, right = width - 12, inside = 6.5;
  const ChartScale scale = ChartScale::linear(0, in_s(to - from), left, right);
  std::string body;
  double top = 4;
  for (const JobLane& lane : lanes) {
    body += svg_text(left - 8, top + high - 6, lane.name, TextAnchor::end);
    for (const workloads::job::JobSpan* span : lane.spans) {
      const double begin = scale.place(in_s(std::max(span->begin, from) - from));
      const double wide = scale.place(in_s(std::min(span->end, to) - from)) - begin;
      body += svg_rect(begin, top, wide, high, category_fill(color_of(*span)) + " outline",
                       tip_attribute(fmt::format("{}\n{}", span->name, si_text(in_s(span->end - span->begin), "s"))));
      if (wide > inside * double(span->name.size()) + 8)
        body += svg_text(begin + 4, top + high - 6, span->name, TextAnchor::start, "inside");
    }
    top += high + gap;
  }
  for (const double tick : scale.ticks(is_narrow(width) ? 3 : 8)) {
    const double x = scale.place(tick);
    body += svg_line(x, top, x, top + 5, "axis") +
            svg_text(x, top + 18, si_text(tick, "s"), x > right - 30 ? TextAnchor::end : TextAnchor::middle);
  }
  return svg_chart(width, top + 24, label, body);
}

std::string lanes_chart(const std::vector<workloads::job::JobSpan>& spans, base::Time from, base::Time to,
                        const std::string& label) {
  const std::vector<JobLane> lanes = lanes_within(spans, from, to);
  if (lanes.empty()) return "";
  return html_chart(responsive_chart([&](double width) { return lane_chart(lanes, from, to, width, label); }), "");
}

/// The first steps of the job's first loop, with the hosts that feed them.
std::string first_steps(const RunFiles& files, double cadence) {
  const auto step = std::ranges::find(files.job, "device", &workloads::job::JobSpan::lane);
  if (step == files.job.end()) return "";
  std::vector<workloads::job::JobSpan> spans;
  base::Time from = step->begin;
  for (const workloads::job::JobSpan& span : files.job) {
    const bool of_host = span.group == "host 0";
    if (of_host) from = std::min(from, span.begin);
    if (of_host || span.lane == "device" || span.lane == "storage") spans.push_back(span);
  }
  std::ranges::stable_partition(spans, [](const workloads::job::JobSpan& span) { return span.group != "job"; });
  const base::Time to = step->end + base::to_time(base::Duration(shown_steps * cadence));
  return "<p class=\"note\">The first batches of a host, and the first steps of the device.</p>" +
         lanes_chart(spans, from, to, "The first steps of a loop and the stages of a host");
}

std::string whole_job(const RunFiles& files) {
  std::vector<workloads::job::JobSpan> spans;
  base::Time end;
  for (const workloads::job::JobSpan& span : files.job) {
    if (span.group != "job" || (span.lane != "start" && span.lane != "loop")) continue;
    spans.push_back(span);
    end = std::max(end, span.end);
  }
  return "<p class=\"note\">Start and loops; the first two loops with their parts.</p>" +
         lanes_chart(spans, base::Time(0), end, "The start and the loops of a job");
}

std::string parts_table(const JobFigures& loop) {
  HtmlTable table{.caption = "A loop in its steady state",
                  .columns = {{"part"}, {"time", true}, {"of the loop", true}, {""}}};
  const double all = loop.value("time_s", 0.0), waiting = loop.value("waiting_for_hosts_s", 0.0);
  const auto row = [&](const char* name, double seconds) {
    if (seconds <= 0) return;
    table.rows.push_back({text_cell(name), number_cell(seconds, si_text(seconds, "s")),
                          number_cell(seconds / all, base::text::percent(seconds / all, 2)), bar_cell(seconds / all)});
  };
  const double sending = loop.value("sending_results_s", 0.0);
  row("Steps", loop.value("training_s", 0.0) - waiting - sending);
  row("Waiting for hosts", waiting);
  row("Sending results", sending);
  row("Evaluation", loop.value("evaluation_s", 0.0));
  row("Checkpoints", loop.value("checkpoints_s", 0.0));
  row("Launches", loop.value("launches_s", 0.0));
  return html_table(table);
}

std::string stage_table(const JobFigures& input, double step) {
  HtmlTable table{.caption = "What a host does for a step",
                  .columns = {{"stage"}, {"time", true}, {"of the cadence", true}, {""}}};
  for (const JobFigures& stage : input.at("stages")) {
    const double seconds = stage.value("time_s", 0.0);
    table.rows.push_back({text_cell(stage.value("name", "")), number_cell(seconds, si_text(seconds, "s")),
                          number_cell(seconds / step, base::text::percent(seconds / step, 1)),
                          bar_cell(std::min(seconds / step, 1.0))});
  }
  return html_table(table);
}

std::string training_text(const JobFigures& training) {
  const double seconds = training.value("time_to_train_s", 0.0), start = training.at("start").value("time_s", 0.0);
  std::string text =
      fmt::format("<p class=\"lead\">Training takes {} in {} loops, after a start of {}.</p>\n",
                  html_figure(seconds, fmt::format("{:.2f} min", seconds / 60)),
                  fmt::format("{:.2f}", training.value("loops", 0.0)), html_figure(start, si_text(start, "s")));
  HtmlTable table{.caption = "Published trainings",
                  .columns = {{"chips", true}, {"batch", true}, {"minutes", true}, {"source"}}};
  for (const JobFigures& run : training.at("published")) {
    const double chips = run.value("chips", 0.0), batch = run.value("batch", 0.0), minutes = run.value("minutes", 0.0);
    table.rows.push_back({number_cell(chips, fmt::format("{:.0f}", chips)),
                          number_cell(batch, fmt::format("{:.0f}", batch)),
                          number_cell(minutes, fmt::format("{:.2f}", minutes)), text_cell(run.value("source", ""))});
  }
  return table.rows.empty() ? text : text + html_table(table);
}

}  // namespace

std::string job_html(const RunFiles& files) {
  const JobFigures& stats = files.stats();
  if (!stats.contains("train_loop")) return "";
  const JobFigures& loop = stats.at("train_loop");
  const double cadence = loop.value("cadence_s", 0.0), seconds = loop.value("time_s", 0.0);
  std::string text;
  if (stats.contains("training")) text += training_text(stats.at("training"));
  const auto evaluation = loop.value("evaluation_steps", std::int64_t(0));
  text += fmt::format("<p>A loop of {}{} takes {}, which is {} a step.</p>\n",
                      base::text::counted(loop.value("steps", std::int64_t(0)), "step"),
                      evaluation > 0 ? fmt::format(" and an evaluation of {}", evaluation) : "",
                      html_figure(seconds, si_text(seconds, "s")), html_figure(cadence, si_text(cadence, "s")));
  if (stats.contains("training")) text += whole_job(files);
  text += parts_table(loop) + first_steps(files, cadence);
  if (stats.contains("input")) text += stage_table(stats.at("input"), cadence);
  return text;
}

}  // namespace podsim::report::html
