// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/lengths_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::workloads::lengths {
namespace {

using Json = nlohmann::ordered_json;
using base::text::percent;

std::string ms(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }

std::int64_t steps_of(const std::vector<ShapeTime>& shapes) {
  std::int64_t steps = 0;
  for (const ShapeTime& shape : shapes) steps += shape.drawn.steps;
  return steps;
}

/// The least step time that `share` of the steps does not exceed.
double quantile(std::vector<ShapeTime> shapes, double share) {
  std::ranges::sort(shapes, {}, &ShapeTime::step_s);
  const double wanted = share * double(steps_of(shapes));
  double steps = 0;
  for (const ShapeTime& shape : shapes) {
    steps += double(shape.drawn.steps);
    if (steps >= wanted) return shape.step_s;
  }
  return shapes.back().step_s;
}

/// Shapes of one length of arrays, which are adjacent.
std::vector<std::vector<ShapeTime>> by_array(const std::vector<ShapeTime>& shapes) {
  std::vector<std::vector<ShapeTime>> groups;
  for (const ShapeTime& shape : shapes) {
    if (groups.empty() || groups.back().front().drawn.shape.array != shape.drawn.shape.array) groups.emplace_back();
    groups.back().push_back(shape);
  }
  return groups;
}

double mean_longest(const std::vector<ShapeTime>& shapes) {
  double sum = 0;
  for (const ShapeTime& shape : shapes) sum += double(shape.drawn.steps * shape.drawn.shape.longest);
  return sum / double(steps_of(shapes));
}

std::string arrays_text(const LengthsReport& report) {
  using enum base::text::TextTable::Align;
  const bool loops = !report.keys.longest.empty();
  base::text::TextTable table({right, right, right, right, right, right});
  table.row({"arrays", "steps", "share", "padding", "mean step", loops ? "loops end at" : ""});
  const double steps = double(steps_of(report.shapes));
  for (const std::vector<ShapeTime>& shapes : by_array(report.shapes)) {
    const LengthFigures figures = length_figures(report, shapes);
    table.row({fmt::format("{}", shapes.front().drawn.shape.array), fmt::format("{}", steps_of(shapes)),
               percent(double(steps_of(shapes)) / steps), percent(figures.padding), ms(figures.mean_s),
               loops ? fmt::format("{:.2f}", mean_longest(shapes)) : ""});
  }
  return table.text();
}

}  // namespace

LengthFigures length_figures(const LengthsReport& report, const std::vector<ShapeTime>& shapes) {
  LengthFigures figures;
  const double steps = double(steps_of(shapes));
  double seconds = 0, samples = 0, tokens = 0, places = 0;
  for (const ShapeTime& shape : shapes) {
    seconds += double(shape.drawn.steps) * shape.step_s;
    samples += double(shape.drawn.samples);
    tokens += double(shape.drawn.tokens);
    places += double(shape.drawn.steps) * double(report.batch * shape.drawn.shape.array);
  }
  figures.mean_s = seconds / steps;
  double squares = 0;
  for (const ShapeTime& shape : shapes)
    squares += double(shape.drawn.steps) * std::pow(shape.step_s - figures.mean_s, 2);
  figures.sd_s = std::sqrt(squares / steps);
  figures.p5_s = quantile(shapes, 0.05);
  figures.p95_s = quantile(shapes, 0.95);
  figures.padding = 1 - tokens / places;
  figures.samples_per_s = samples / seconds;
  figures.tokens_per_s = tokens / seconds;
  return figures;
}

std::string lengths_text(const LengthsReport& report) {
  const LengthFigures all = length_figures(report, report.shapes);
  std::string text = fmt::format("{} on {} slice of {}: {} with samples of varying length\n\n", report.workload,
                                 base::text::with_article(report.slice), report.machine,
                                 base::text::counted(report.plan.steps, "step"));
  text += fmt::format(
      "lengths      {}; on average {:.1f} tokens, {} of the samples are longer than all arrays and left out\n",
      law_text(report.plan), report.mean_length, percent(report.left_out));
  text += fmt::format("batch        {}{}\n", base::text::counted(report.batch, "sequence"),
                      report.keys.packed ? ", each packed with samples until the next one does not fit"
                                         : ", each with a sample of one bucket");
  text += fmt::format("step         mean {}, standard deviation {} ({}); 5 % up to {}, 95 % up to {}\n", ms(all.mean_s),
                      ms(all.sd_s), percent(all.sd_s / all.mean_s), ms(all.p5_s), ms(all.p95_s));
  text += fmt::format("padding      {} of the places for tokens\n", percent(all.padding));
  text += fmt::format("rate         {:.0f} samples/s, {:.0f} tokens/s without padding\n\n", all.samples_per_s,
                      all.tokens_per_s);
  text += arrays_text(report);
  text += fmt::format("\n{} simulated in {:.2f} s on this host\n",
                      base::text::counted(std::int64_t(report.shapes.size()), "distinct step"), report.wall_s);
  return text;
}

std::string lengths_json(const LengthsReport& report) {
  const LengthFigures all = length_figures(report, report.shapes);
  Json shapes = Json::array();
  for (const ShapeTime& shape : report.shapes) {
    shapes.push_back({{"array_tokens", shape.drawn.shape.array},
                      {"longest_tokens", shape.drawn.shape.longest},
                      {"steps", shape.drawn.steps},
                      {"samples", shape.drawn.samples},
                      {"tokens", shape.drawn.tokens},
                      {"step_time_s", shape.step_s}});
  }
  const Json json = {{"schema_version", 1},
                     {"command", "run --lengths"},
                     {"workload", report.workload},
                     {"machine", report.machine},
                     {"slice", report.slice},
                     {"law", law_text(report.plan)},
                     {"seed", report.plan.seed},
                     {"packed", report.keys.packed},
                     {"sequences_per_step", report.batch},
                     {"mean_length", report.mean_length},
                     {"left_out_share", report.left_out},
                     {"steps", report.plan.steps},
                     {"step_mean_s", all.mean_s},
                     {"step_sd_s", all.sd_s},
                     {"step_p5_s", all.p5_s},
                     {"step_p95_s", all.p95_s},
                     {"padding_share", all.padding},
                     {"samples_per_s", all.samples_per_s},
                     {"tokens_per_s", all.tokens_per_s},
                     {"shapes", shapes},
                     {"wall_s", report.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::workloads::lengths
