// SPDX-License-Identifier: Apache-2.0
// Part of report/serving/serving_report.h.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "base/units.h"
#include "report/run/joules_text.h"
#include "report/serving/serving_report.h"

namespace podsim::report::serving {
namespace model = workloads::serving;

namespace {

std::string time_text(double seconds) { return base::to_string(base::Duration(seconds)); }

std::string latency_table(const ServingReport& r) {
  using enum base::text::TextTable::Align;
  base::text::TextTable table({left, right, right, right, right, right, right});
  table.row({"  time", "mean", "p50", "p90", "p95", "p99", "most"});
  const auto row = [&](const char* name, const model::LatencyFigures& of) {
    table.row({std::string("  ") + name, time_text(of.mean), time_text(of.p50), time_text(of.p90), time_text(of.p95),
               time_text(of.p99), time_text(of.most)});
  };
  const model::ServingSummary& sum = r.summary;
  row("wait for the first step", sum.wait);
  if (r.plan.tokens) {
    row("to the first token (TTFT)", sum.first_token);
    row("for each further token (TPOT)", sum.per_token);
    row("between tokens", sum.gap);
  }
  row("to the end", sum.latency);
  return "\n" + table.text();
}

std::string step_shape_text(const model::StepShape& shape, bool tokens) {
  if (!tokens) return base::text::counted(shape.decoding, "sample");
  std::string text;
  if (shape.decoding > 0) {
    text = fmt::format("{} with {} tokens in the cache", base::text::counted(shape.decoding, "sequence"), shape.cached);
  }
  if (shape.prefill_tokens > 0) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} of prompts behind {}", base::text::counted(shape.prefill_tokens, "token"),
                        shape.prefill_cached);
  }
  return text;
}

std::string program_table(const ServingReport& r) {
  if (r.programs.empty()) return "";
  constexpr std::size_t shown = 12;
  using enum base::text::TextTable::Align;
  base::text::TextTable table({left, right, right, right, right});
  table.row({"  " + base::text::counted(std::int64_t(r.programs.size()), "program") + " of steps", "time", "MXU", "HBM",
             "energy"});
  for (std::size_t i = 0; i < std::min(shown, r.programs.size()); ++i) {
    const auto& [shape, cost, drafts] = r.programs[i];
    table.row({(drafts ? "  draft: " : "  ") + step_shape_text(shape, r.plan.tokens), time_text(cost.seconds),
               base::text::percent(cost.mxu_s / cost.seconds), base::text::percent(cost.hbm_s / cost.seconds),
               run::joules_text(cost.joules)});
  }
  std::string text = "\n" + table.text();
  if (r.programs.size() > shown) text += fmt::format("  and {} more\n", r.programs.size() - shown);
  return text;
}

std::string cache_text(const ServingReport& r) {
  const model::ServingCounts& counts = r.outcome.counts;
  std::string text = fmt::format("cache          {} pages of {} tokens a replica, {} used on average, {} at most\n",
                                 r.plan.cache_pages, r.plan.page, base::text::percent(r.outcome.pages.mean()),
                                 base::text::percent(r.outcome.pages.most()));
  text += fmt::format("tokens         {} of prompts read, {} found in the cache, {} made\n", counts.prefilled,
                      counts.reused, counts.made);
  if (counts.dropped > 0) {
    text += fmt::format("dropped        {} tokens of the cache, by {} and {} that stopped\n", counts.dropped,
                        base::text::counted(counts.preemptions, "preemption"),
                        base::text::counted(counts.requeued, "request of a replica", "requests of replicas"));
  }
  if (!r.draft.empty()) {
    const std::string made = fmt::format("{:.3g}", r.summary.tokens_per_turn);
    text += fmt::format("draft          {} drafts {}, each accepted with {:g}: {} {} of a sequence in a step\n",
                        r.draft, base::text::counted(r.plan.drafting.tokens, "token"), r.plan.drafting.accept, made,
                        made == "1" ? "token" : "tokens");
  }
  if (counts.transfers > 0) {
    text += fmt::format(
        "transfers      {} caches to replicas that decode, a wait of {} for network ports on average; the busiest {} "
        "busy\n",
        counts.transfers, time_text(r.summary.transfer_wait), base::text::percent(r.summary.busiest_port));
  }
  return text;
}

std::string chips_text(const ServingReport& r) {
  const model::ServingSummary& sum = r.summary;
  std::string text = fmt::format("chips          MXU {}, HBM {} of their peaks in steps; {}, {} of all the time\n",
                                 base::text::percent(sum.mxu_in_steps), base::text::percent(sum.hbm_in_steps),
                                 base::text::percent(sum.mxu), base::text::percent(sum.hbm));
  text += fmt::format("energy         {:.1f} W a chip on average, {:.1f} W idle; {}, {} a request", r.watts_per_chip(),
                      r.plan.idle_watts / double(r.chips), run::joules_text(sum.joules),
                      run::joules_text(sum.joules_per_request));
  if (r.plan.tokens) text += fmt::format(", {} a token made", run::joules_text(sum.joules_per_token));
  return text + "\n";
}

std::string outage_text(const ServingReport& r) {
  if (r.plan.outages.empty()) return "";
  double away = 0;
  for (const model::ReplicaOutcome& of : r.outcome.replicas) away += workloads::goodput::seconds(of.away);
  const double all = workloads::goodput::seconds(r.outcome.end) * double(r.replicas());
  return fmt::format("stops          {} of the time of replicas, {} lost, {} requests sent elsewhere\n",
                     base::text::percent(all > 0 ? away / all : 0, 2),
                     base::text::counted(r.outcome.counts.lost_steps, "step"), r.outcome.counts.requeued);
}

}  // namespace

std::string serving_text(const ServingReport& r, bool with_wall) {
  const model::ServingSummary& sum = r.summary;
  const model::ServingCounts& counts = r.outcome.counts;
  std::string text =
      fmt::format("{} on {} of {} slice of {}: {} each; {}\n", r.workload, base::text::counted(r.replicas(), "replica"),
                  base::text::with_article(r.slice), r.machine, base::text::counted(r.chips, "chip"), r.arrivals);
  if (!r.lengths.empty()) text += r.lengths + "\n";
  if (r.expert_skew)
    text += fmt::format("slots of experts for the busiest, of popularity rank^-{:g}\n", *r.expert_skew);
  text += fmt::format("\nthroughput     {:.4g} requests/s", sum.requests_per_s);
  if (r.plan.tokens)
    text += fmt::format(", {:.4g} tokens/s read, {:.4g} tokens/s made", sum.input_per_s, sum.output_per_s);
  text += fmt::format("; {} in {}\n", base::text::counted(sum.requests, "request"), time_text(sum.seconds));
  if (counts.refused > 0) {
    text += fmt::format("refused        {}, whose cache does not fit a replica\n",
                        base::text::counted(counts.refused, "request"));
  }
  if (r.level.any()) {
    text += fmt::format("goodput        {:.4g} requests/s with {}: {} of them\n", sum.level_per_s, r.level.text(),
                        base::text::percent(sum.level_share, 2));
  }
  text += fmt::format("replicas       {} of the time in steps: {} steps of {:.1f} {} on average, {} padding\n",
                      base::text::percent(sum.busy), counts.steps, sum.mean_batch,
                      r.plan.tokens ? "sequences that decode" : "samples", base::text::percent(sum.padding));
  text += fmt::format("queue          {:.3g} requests on average, {:.0f} at most\n", r.outcome.waiting.mean(),
                      r.outcome.waiting.most());
  if (r.plan.tokens) text += cache_text(r);
  text += chips_text(r) + outage_text(r) + latency_table(r) + program_table(r);
  if (!r.warnings.empty()) text += "\n";
  for (const std::string& warning : r.warnings) text += "warning: " + warning + "\n";
  if (with_wall) text += fmt::format("\n{:.2f} s on this host\n", r.wall_s);
  return text;
}

}  // namespace podsim::report::serving
