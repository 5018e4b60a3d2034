// SPDX-License-Identifier: Apache-2.0
#include "report/serving/serving_page.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/version.h"
#include "report/html/html_page.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/si_text.h"
#include "report/run/joules_text.h"
#include "report/serving/serving_charts.h"

namespace podsim::report::serving {
namespace model = workloads::serving;

namespace {

std::string served_figure(std::string_view name, double value, const std::string& number, const std::string& unit,
                          std::string_view detail) {
  return fmt::format(
      "<div><dt>{}</dt><dd><data value=\"{}\">{} <small>{}</small></data></dd><dd class=\"detail\">{}</dd></div>\n",
      html::html_escaped(name), value, html::html_escaped(number), html::html_escaped(unit),
      html::html_escaped(detail));
}

/// Shows a text such as "12.5 ms" as a number and its unit.
std::string unit_figure(std::string_view name, double value, const std::string& text, std::string_view detail) {
  const std::size_t blank = text.find(' ');
  return served_figure(name, value, text.substr(0, blank), blank == std::string::npos ? "" : text.substr(blank + 1),
                       detail);
}

std::string time_figure(std::string_view name, const model::LatencyFigures& of) {
  return unit_figure(name, of.p50, html::si_text(of.p50, "s", 3),
                     fmt::format("median; p99 {}", html::si_text(of.p99, "s", 3)));
}

std::string energy_figures(const ServingReport& r) {
  const model::ServingSummary& sum = r.summary;
  const bool tokens = r.plan.tokens;
  const double joules = tokens ? sum.joules_per_token : sum.joules_per_request;
  return unit_figure(tokens ? "Energy of a token" : "Energy of a request", joules, run::joules_text(joules),
                     fmt::format("{:.1f} W a chip", r.watts_per_chip())) +
         served_figure("HBM", sum.hbm, fmt::format("{:.1f}", 100 * sum.hbm), "%",
                       fmt::format("of its peak; {} in steps", base::text::percent(sum.hbm_in_steps))) +
         served_figure("MXU", sum.mxu, fmt::format("{:.1f}", 100 * sum.mxu), "%",
                       fmt::format("of its peak; {} in steps", base::text::percent(sum.mxu_in_steps)));
}

std::string figures_html(const ServingReport& r) {
  const model::ServingSummary& sum = r.summary;
  std::string text = "<dl class=\"figures\">\n";
  text += served_figure("Throughput", sum.requests_per_s, fmt::format("{:.4g}", sum.requests_per_s), "requests/s",
                        fmt::format("{} of them", sum.requests));
  if (r.plan.tokens) {
    text += served_figure("Tokens", sum.output_per_s, html::count_text(std::llround(sum.output_per_s)), "tokens/s",
                          fmt::format("made; {} read", html::count_text(std::llround(sum.input_per_s))));
    text += time_figure("First token", sum.first_token);
    text += time_figure("Each further token", sum.per_token);
  }
  text += time_figure("Whole request", sum.latency);
  if (r.level.any()) {
    text += served_figure("Goodput", sum.level_per_s, fmt::format("{:.4g}", sum.level_per_s), "requests/s",
                          fmt::format("{} with {}", base::text::percent(sum.level_share, 2), r.level.text()));
  }
  text += served_figure("Replicas in steps", sum.busy, fmt::format("{:.1f}", 100 * sum.busy), "%",
                        fmt::format("{:.1f} in a step on average", sum.mean_batch));
  if (r.plan.tokens) {
    text +=
        served_figure("Cache", r.outcome.pages.mean(), fmt::format("{:.1f}", 100 * r.outcome.pages.mean()), "%",
                      fmt::format("of its pages on average; {} at most", base::text::percent(r.outcome.pages.most())));
  }
  if (!r.draft.empty()) {
    const std::string made = fmt::format("{:.3g}", r.summary.tokens_per_turn);
    text += served_figure("Drafted", r.summary.tokens_per_turn, made, made == "1" ? "token" : "tokens",
                          fmt::format("of a sequence in a step; {} drafted by {}, each accepted with {:g}",
                                      r.plan.drafting.tokens, r.draft, r.plan.drafting.accept));
  }
  return text + energy_figures(r) + "</dl>\n";
}

std::string latency_html(const ServingReport& r) {
  html::HtmlTable table{
      .caption = "Times of requests",
      .columns = {
          {"time"}, {"mean", true}, {"p50", true}, {"p90", true}, {"p95", true}, {"p99", true}, {"most", true}}};
  const auto row = [&](const char* name, const model::LatencyFigures& of) {
    std::vector<html::TableCell> cells{html::text_cell(name)};
    for (const double value : {of.mean, of.p50, of.p90, of.p95, of.p99, of.most}) {
      cells.push_back(html::number_cell(value, html::si_text(value, "s", 3)));
    }
    table.rows.push_back(std::move(cells));
  };
  const model::ServingSummary& sum = r.summary;
  row("wait for the first step", sum.wait);
  if (r.plan.tokens) {
    row("to the first token (TTFT)", sum.first_token);
    row("for each further token (TPOT)", sum.per_token);
    row("between tokens, of all tokens", sum.gap);
  }
  row("to the end", sum.latency);
  return html::html_table(table);
}

std::string distributions_html(const ServingReport& r) {
  ServingCurve wait{"wait", {}}, first{"first token", {}}, each{"each further token", {}}, latency{"whole request", {}};
  for (std::size_t i = 0; i < r.requests.size(); ++i) {
    const model::Served& served = r.outcome.served[i];
    if (served.refused() || workloads::goodput::seconds(r.requests[i].arrival) < r.warm_up_s) continue;
    const model::RequestTimes times = model::times_of(r.requests[i], served);
    wait.values.push_back(times.wait);
    first.values.push_back(times.first_token);
    if (r.requests[i].output > 1) each.values.push_back(times.per_token);
    latency.values.push_back(times.latency);
  }
  std::vector<double> guides;
  for (const auto& limit : {r.level.ttft, r.level.tpot, r.level.latency}) {
    if (limit) guides.push_back(*limit);
  }
  std::vector<ServingCurve> curves{std::move(latency)};
  if (r.plan.tokens) {
    curves.insert(curves.begin(), std::move(each));
    curves.insert(curves.begin(), std::move(first));
  } else {
    curves.push_back(std::move(wait));
  }
  return latency_html(r) + distribution_chart(curves, guides);
}

std::string queue_html(const ServingReport& r) {
  const double width = workloads::goodput::seconds(r.outcome.waiting.width());
  return series_chart({{"waiting", r.outcome.waiting.means()}, {"in batches", r.outcome.running.means()}}, width,
                      "requests");
}

std::string chips_html(const ServingReport& r) {
  const auto scaled = [](std::vector<double> values, double factor) {
    for (double& value : values) value *= factor;
    return values;
  };
  const double width = workloads::goodput::seconds(r.outcome.watts.width());
  return fmt::format("<p>{} until the last request is finished, {} of it outside steps.</p>\n",
                     run::joules_text(r.summary.joules), run::joules_text(r.summary.idle_joules)) +
         series_chart({{"a chip", scaled(r.outcome.watts.means(), 1 / double(r.chips * r.replicas()))}}, width, "W") +
         series_chart({{"HBM", scaled(r.outcome.hbm.means(), 100)}, {"MXU", scaled(r.outcome.mxu.means(), 100)}}, width,
                      "% of the peak");
}

std::string cache_html(const ServingReport& r) {
  if (!r.plan.tokens) return "";
  std::vector<double> percent = r.outcome.pages.means();
  for (double& share : percent) share *= 100;
  const model::ServingCounts& counts = r.outcome.counts;
  std::string text = fmt::format(
      "<p>{} pages of {} tokens in each replica. {} tokens of prompts were read, {} found in the cache; {} were "
      "dropped, "
      "by {} and by stops.</p>\n",
      r.plan.cache_pages, r.plan.page, html::count_text(counts.prefilled), html::count_text(counts.reused),
      html::count_text(counts.dropped), base::text::counted(counts.preemptions, "preemption"));
  return text + series_chart({{"pages", percent}}, workloads::goodput::seconds(r.outcome.pages.width()), "% of pages");
}

std::string programs_html(const ServingReport& r) {
  html::HtmlTable table{.id = "programs", .caption = "Programs that were simulated", .sortable = true, .tall = true};
  if (r.plan.tokens) {
    table.columns = {{"sequences", true}, {"tokens in the cache", true}, {"tokens of prompts", true}, {"behind", true}};
  } else {
    table.columns = {{"samples", true}};
  }
  if (!r.draft.empty()) table.columns.push_back({"of"});
  for (const char* name : {"step", "MXU", "HBM", "energy"}) table.columns.push_back({name, true});
  for (const StepProgram& of : r.programs) {
    std::vector<html::TableCell> cells;
    const auto count = [&](std::int64_t value) {
      cells.push_back(html::number_cell(double(value), html::count_text(value)));
    };
    count(of.shape.decoding);
    if (r.plan.tokens) {
      count(of.shape.cached);
      count(of.shape.prefill_tokens);
      count(of.shape.prefill_cached);
    }
    if (!r.draft.empty()) cells.push_back(html::text_cell(of.drafts ? "draft" : "model"));
    const model::StepCost& cost = of.cost;
    cells.push_back(html::number_cell(cost.seconds, html::si_text(cost.seconds, "s")));
    for (const double share : {cost.mxu_s / cost.seconds, cost.hbm_s / cost.seconds}) {
      cells.push_back(html::number_cell(share, base::text::percent(share)));
    }
    cells.push_back(html::number_cell(cost.joules, run::joules_text(cost.joules)));
    table.rows.push_back(std::move(cells));
  }
  return html::html_table(table);
}

std::string serving_notes(const ServingReport& r) {
  std::string items;
  for (const std::string& warning : r.warnings) items += "<li>" + html::html_escaped(warning) + "</li>";
  return items.empty() ? "" : "<ul>" + items + "</ul>\n";
}

}  // namespace

std::string serving_page(const ServingReport& r, const std::string& command_line) {
  html::HtmlPage page;
  page.title = fmt::format("{} on {} of {} slice of {}", r.workload, base::text::counted(r.replicas(), "replica"),
                           base::text::with_article(r.slice), r.machine);
  page.kicker = "A server, simulated";
  page.subtitle = r.arrivals + (r.lengths.empty() ? "" : "; " + r.lengths);
  page.sections = {{"figures", "Figures", figures_html(r)},
                   {"times", "Times of requests", distributions_html(r)},
                   {"replicas", "Replicas", lanes_chart(r)},
                   {"queue", "Queue", queue_html(r)},
                   {"cache", "Cache", cache_html(r)},
                   {"chips", "Chips", chips_html(r)},
                   {"programs", "Steps", programs_html(r)},
                   {"notes", "Warnings", serving_notes(r)},
                   {"again", "Run it again", "<pre><code>" + html::html_escaped(command_line) + "</code></pre>\n"}};
  page.footer = base::program_version;
  return html::html_page(page);
}

}  // namespace podsim::report::serving
