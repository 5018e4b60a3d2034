// SPDX-License-Identifier: Apache-2.0
#include "report/serving/serving_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/percent.h"
#include "report/html/chart_scale.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"
#include "workloads/serving/serving_summary.h"

namespace podsim::report::serving {
namespace model = workloads::serving;

namespace {

constexpr int distribution_points = 200;
constexpr std::size_t most_lanes = 64;

html::PlotArea plot_area(double width) {
  const bool narrow = html::is_narrow(width);
  return {narrow ? 52.0 : 64.0, 30, width - 8, narrow ? 200.0 : 260.0};
}

std::string curve_legend(const std::vector<ServingCurve>& curves) {
  if (curves.size() < 2) return "";
  std::vector<html::LegendEntry> entries;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    entries.push_back({curves[i].name, html::category_fill(int(i))});
  }
  return html::chart_legend(entries);
}

std::string distribution_svg(const std::vector<ServingCurve>& sorted, const std::vector<double>& guides, double low,
                             double high, double width) {
  const html::PlotArea area = plot_area(width);
  const html::ChartAxis x{"time of a request", html::ChartScale::logarithmic(low, high, area.left, area.right),
                          [](double value) { return html::si_text(value, "s"); }, html::is_narrow(width) ? 4 : 8};
  const html::ChartAxis y{"of the requests", html::ChartScale::linear(0, 1, area.bottom, area.top),
                          [](double value) { return base::text::percent(value + 0.0, 0); }, 5};
  std::string body = html::svg_axes(area, x, y);
  for (const double guide : guides) {
    if (guide < low || guide > high) continue;
    const double at = x.scale.place(guide);
    body += html::svg_line(at, area.top, at, area.bottom, "hint");
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    std::vector<html::SvgPoint> points;
    for (int step = 0; step <= distribution_points; ++step) {
      const double share = double(step) / distribution_points;
      points.push_back(
          {x.scale.place(std::max(model::quantile_of(sorted[i].values, share), low)), y.scale.place(share)});
    }
    body += html::svg_path(points, html::category_line(int(i)) + " curve");
  }
  std::string tips;
  for (int percent = 0; percent < 100; percent += 2) {
    const double share = double(percent + 1) / 100;
    std::string text = fmt::format("{:.0f} % of the requests", 100 * share);
    for (const ServingCurve& of : sorted) {
      text += fmt::format("\n{}: {}", of.name, html::si_text(model::quantile_of(of.values, share), "s"));
    }
    const double top = y.scale.place(double(percent + 2) / 100);
    tips += html::svg_rect(area.left, top, area.width(), y.scale.place(double(percent) / 100) - top, "hit",
                           html::tip_attribute(text));
  }
  return html::svg_chart(width, area.bottom + 44, "Distribution of the times of requests", body + tips);
}

std::string series_svg(const std::vector<ServingCurve>& curves, double bin_s, const std::string& unit, double width) {
  const html::PlotArea area = plot_area(width);
  const std::size_t bins = curves[0].values.size();
  double most = 0;
  for (const ServingCurve& of : curves) most = std::max(most, std::ranges::max(of.values));
  const html::ChartAxis x{"s", html::ChartScale::linear(0, bin_s * double(bins), area.left, area.right),
                          [](double value) { return fmt::format("{:.4g}", value + 0.0); },
                          html::is_narrow(width) ? 4 : 8};
  const html::ChartAxis y{unit, html::ChartScale::linear(0, most > 0 ? most * 1.05 : 1, area.bottom, area.top),
                          [](double value) { return fmt::format("{:.4g}", value + 0.0); },
                          html::is_narrow(width) ? 4 : 6};
  std::string body = html::svg_axes(area, x, y);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::vector<html::SvgPoint> points;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      points.push_back({x.scale.place(bin_s * (double(bin) + 0.5)), y.scale.place(curves[i].values[bin])});
    }
    body += html::svg_path(points, html::category_line(int(i)) + " curve");
  }
  std::string tips;
  const std::size_t together = bins / 100 + 1;
  for (std::size_t bin = 0; bin < bins; bin += together) {
    const std::size_t end = std::min(bins, bin + together);
    std::string text = fmt::format("{:.4g} s", bin_s * double(bin));
    for (const ServingCurve& of : curves) text += fmt::format("\n{}: {:.4g}", of.name, of.values[bin]);
    const double left = x.scale.place(bin_s * double(bin)), right = x.scale.place(bin_s * double(end));
    tips += html::svg_rect(left, area.top, right - left, area.height(), "hit", html::tip_attribute(text));
  }
  return html::svg_chart(width, area.bottom + 44, unit + " over time", body + tips);
}

/// Means of neighbours, so that there are at most so many.
std::vector<double> fewer(const std::vector<double>& values, std::size_t most) {
  const std::size_t together = (values.size() + most - 1) / most;
  std::vector<double> means;
  for (std::size_t begin = 0; begin < values.size(); begin += together) {
    const std::size_t end = std::min(values.size(), begin + together);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    means.push_back(sum / double(end - begin));
  }
  return means;
}

std::string lanes_svg(const ServingReport& r, double width) {
  const bool narrow = html::is_narrow(width);
  const std::size_t lanes = std::min(most_lanes, r.outcome.replicas.size());
  const double high = lanes > 24 ? 9 : 18, gap = 3, left = narrow ? 84 : 120, right = width - 12;
  const double end = workloads::goodput::seconds(r.outcome.end);
  const html::ChartScale scale = html::ChartScale::linear(0, end, left, right);
  std::string body;
  double top = 4;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const model::ReplicaOutcome& of = r.outcome.replicas[lane];
    const bool decodes = std::int64_t(lane) >= r.plan.replicas;
    const std::string name = fmt::format("{} {}",
                                         decodes                      ? "decodes"
                                         : r.plan.decode_replicas > 0 ? "reads"
                                                                      : "replica",
                                         lane);
    body += html::svg_text(left - 8, top + high - (high > 10 ? 5 : 1), name, html::TextAnchor::end);
    const std::vector<double> running = fewer(of.running.means(), narrow ? 60 : 160),
                              present = fewer(of.present.means(), narrow ? 60 : 160);
    const double bin = end / double(running.size());
    for (std::size_t i = 0; i < running.size(); ++i) {
      const double full = running[i] / double(r.plan.max_batch), begin = scale.place(double(i) * bin);
      const double until = scale.place(double(i + 1) * bin);
      std::string text =
          fmt::format("{}, {:.4g} s\n{:.3g} of {} in its batch", name, double(i) * bin, running[i], r.plan.max_batch);
      if (present[i] < 0.999) text += fmt::format("\naway {} of the time", base::text::percent(1 - present[i], 0));
      // What is away is an empty cell with a line in it.
      body += html::svg_rect(begin, top, until - begin, high, html::heat_class(std::min(full, 1.0)),
                             html::tip_attribute(text));
      if (present[i] < 0.5) body += html::svg_line(begin, top + high / 2, until, top + high / 2, "accent");
    }
    top += high + gap;
  }
  for (const double tick : scale.ticks(narrow ? 3 : 8)) {
    const double x = scale.place(tick);
    body += html::svg_line(x, top, x, top + 5, "axis") +
            html::svg_text(x, top + 18, html::si_text(tick, "s"),
                           x > right - 30 ? html::TextAnchor::end : html::TextAnchor::middle);
  }
  return html::svg_chart(width, top + 24, "How full the batches of replicas are over time", body);
}

}  // namespace

std::string distribution_chart(const std::vector<ServingCurve>& curves, const std::vector<double>& guides) {
  std::vector<ServingCurve> sorted = curves;
  std::erase_if(sorted, [](const ServingCurve& of) { return of.values.empty(); });
  if (sorted.empty()) return "";
  double low = INFINITY, high = 0;
  for (ServingCurve& of : sorted) {
    std::ranges::sort(of.values);
    low = std::min(low, std::max(model::quantile_of(of.values, 0.01), of.values.back() * 1e-4));
    high = std::max(high, of.values.back());
  }
  if (high <= 0) return "";
  for (const double guide : guides) high = std::max(high, guide);
  return curve_legend(sorted) + html::html_chart(html::responsive_chart([&](double width) {
                                                   return distribution_svg(sorted, guides, low, high * 1.05, width);
                                                 }),
                                                 "");
}

std::string series_chart(const std::vector<ServingCurve>& curves, double width_s, const std::string& unit) {
  if (curves.empty() || curves[0].values.empty()) return "";
  return curve_legend(curves) +
         html::html_chart(
             html::responsive_chart([&](double width) { return series_svg(curves, width_s, unit, width); }), "");
}

std::string lanes_chart(const ServingReport& report) {
  if (report.outcome.end == model::Nanoseconds(0)) return "";
  std::string note;
  if (report.outcome.replicas.size() > most_lanes) {
    note = fmt::format("<p class=\"note\">The first {} of {} replicas; series.csv has all.</p>\n", most_lanes,
                       report.outcome.replicas.size());
  }
  return note + html::heat_legend("empty batch", "full batch") +
         html::html_chart(html::responsive_chart([&](double width) { return lanes_svg(report, width); }), "");
}

}  // namespace podsim::report::serving
