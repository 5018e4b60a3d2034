// SPDX-License-Identifier: Apache-2.0
// Part of report/goodput_report.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/goodput_report.h"

namespace podsim::report {

namespace goodput = workloads::goodput;

namespace {

using goodput::Nanoseconds;
using GoodputColumn = base::text::TextTable::Align;

/// "18.1 h", "2.50 min", "3.2 days".
std::string long_time(double seconds) {
  if (!std::isfinite(seconds)) return "never";
  if (seconds >= 2 * 86'400) return fmt::format("{:.1f} days", seconds / 86'400);
  if (seconds >= 2 * 3600) return fmt::format("{:.1f} h", seconds / 3600);
  if (seconds >= 120) return fmt::format("{:.1f} min", seconds / 60);
  return base::to_string(base::Duration(seconds));
}

std::string long_time(base::Duration time) { return long_time(time.si()); }

double goodput_share(Nanoseconds part, const goodput::JobOutcome& sum) {
  return goodput::seconds(part) / goodput::seconds(sum.all());
}

std::string share_text(Nanoseconds part, const goodput::JobOutcome& sum) {
  return base::text::percent(goodput_share(part, sum), 2);
}

goodput::CauseTimes sum_of_causes(const goodput::JobOutcome& sum) {
  goodput::CauseTimes all;
  for (const goodput::CauseTimes& one : sum.causes) {
    all.interruptions += one.interruptions;
    all.lost += one.lost;
    all.detection += one.detection;
    all.waiting += one.waiting;
    all.restart += one.restart;
  }
  return all;
}

std::string interval_text(const GoodputReport& r) {
  std::string text =
      fmt::format("checkpoint     after {} ({}), {}; {}, for which the device waits {}\n", long_time(r.interval()),
                  base::text::counted(r.plan.checkpoint_steps, "step"), r.interval_source,
                  base::to_string(r.checkpoint.state), base::to_string(r.checkpoint_wait()));
  text += fmt::format("               Young {}, Daly {}", long_time(r.young()), long_time(r.daly()));
  if (r.search && r.search->points.size() >= 4) {
    const goodput::BestInterval& best = r.search->best;
    text += fmt::format(", the best of simulated jobs {} ({} from Daly){}", long_time(best.work),
                        base::text::signed_percent(best.work.si() / r.daly().si() - 1),
                        best.at_limit ? ", the limit of what was tried" : "");
  }
  return text + "\n";
}

std::string shares_text(const GoodputReport& r, const goodput::JobOutcome& sum) {
  const goodput::CauseTimes causes = sum_of_causes(sum);
  base::text::TextTable table({GoodputColumn::left, GoodputColumn::right, GoodputColumn::left});
  const auto row = [&](const char* name, Nanoseconds time, const char* details) {
    table.row({name, share_text(time, sum), details});
  };
  row("  steps", sum.training, "that count: the goodput");
  row("  slower steps", sum.slower, "what they take longer on smaller slices and around dead links");
  row("  checkpoints", sum.checkpoints,
      r.plan.beside ? "until the hosts have them; stored beside the steps" : "until they are stored");
  row("  checks", sum.checks, r.plan.check ? "of results, a step that runs twice before a checkpoint" : "none");
  row("  lost steps", causes.lost, "since the checkpoint to which the job returns");
  row("  detection", causes.detection, "and diagnosis");
  row("  waiting", causes.waiting, "for a repair or a spare");
  row("  restarts", causes.restart, "with the newest checkpoint");
  row("  start", sum.start, "the first");
  row("  all", sum.all(), "");
  return "\nwhere the time goes\n" + table.text();
}

std::string causes_text(const GoodputReport& r, const goodput::JobOutcome& sum) {
  using enum base::text::TextTable::Align;
  base::text::TextTable table({left, right, right, right, right, right, right, right});
  table.row({"  cause", "parts", "times", "lost steps", "detection", "waiting", "restarts", "together"});
  const auto row = [&](std::string name, std::string parts, const goodput::CauseTimes& of) {
    table.row({"  " + std::move(name), std::move(parts),
               fmt::format("{:.2f}", double(of.interruptions) / double(r.outcomes.size())), share_text(of.lost, sum),
               share_text(of.detection, sum), share_text(of.waiting, sum), share_text(of.restart, sum),
               share_text(of.all(), sum)});
  };
  for (const goodput::FaultSource& source : r.sources) {
    row(std::string(to_string(source.cause)), std::to_string(source.units), sum.of(source.cause));
  }
  row("all", "", sum_of_causes(sum));
  return fmt::format("\ninterruptions in {:g} days\n", r.days) + table.text();
}

std::string ways_text(const GoodputReport& r) {
  using enum base::text::TextTable::Align;
  base::text::TextTable table({left, right, right, left});
  table.row({"  slice", "step", "restart", ""});
  for (const GoodputReport::WayReport& way : r.ways) {
    table.row({fmt::format("  {}", fmt::join(way.way.sizes, "x")),
               base::to_string(base::Duration(goodput::seconds(way.way.step))),
               long_time(goodput::seconds(way.way.restart)), way.how});
    if (&way != r.ways.data() || !r.plan.rerouted) continue;
    table.row({"  with a dead link", base::to_string(base::Duration(goodput::seconds(*r.plan.rerouted))),
               long_time(goodput::seconds(way.way.restart)), r.rerouted_how});
  }
  const char* rule = r.plan.without_spare == goodput::WithoutSpare::wait
                         ? "without a spare the job waits for the repair"
                         : "each step has the same samples";
  return fmt::format("\nslices of the job: {}\n", rule) + table.text();
}

std::string values_text(const GoodputReport& r) {
  using enum base::text::TextTable::Align;
  base::text::TextTable table({left, right, left});
  for (const base::ConfigEntry& entry : r.values) {
    table.row({"  " + entry.key, entry.text, base::to_string(entry.evidence)});
  }
  return "\nwhat it rests on (podsim describe has the sources)\n" + table.text();
}

std::string counts_text(const GoodputReport& r, const goodput::JobOutcome& sum) {
  const auto n = double(r.outcomes.size());
  std::string text =
      fmt::format("interruptions  {:.1f} a job, one in {} of the whole slice; {:.1f} announced\n",
                  double(sum.interruptions) / n, long_time(r.between_failures()), double(sum.announced) / n);
  if (sum.smaller_slices + sum.rerouted > 0) {
    text +=
        fmt::format("               {:.1f} times a job goes on with a smaller slice, {:.1f} times around dead links\n",
                    double(sum.smaller_slices) / n, double(sum.rerouted) / n);
  }
  if (sum.suspect_steps > 0) {
    text +=
        fmt::format("suspect steps  {} of the steps were computed behind a silent corruption that nothing has found\n",
                    base::text::percent(double(sum.suspect_steps) / double(std::max<std::int64_t>(sum.steps, 1)), 2));
  }
  return text;
}

std::string verdict_line(const GoodputReport& r, const GoodputReport::LinkVerdict& of) {
  const goodput::Verdict& verdict = of.verdict;
  std::string text;
  if (verdict.hops > 0) {
    text = fmt::format("rerouted, {} in place of 1", base::text::counted(verdict.hops, "hop"));
    if (of.slowdown) text += fmt::format(", a step takes {:.3f} times as long", *of.slowdown);
    text += "; ";
  }
  if (!verdict.remaining) return text + "no slice remains";
  text += "remaining slice " + to_string(*verdict.remaining);
  if (const auto slowdown = r.slowdown_on(verdict.remaining->sizes))
    text += fmt::format(", a step takes {:.3f} times as long", *slowdown);
  return text;
}

}  // namespace

std::string verdicts_text(const GoodputReport& report) {
  using enum base::text::TextTable::Align;
  base::text::TextTable table({left, left, left});
  for (const GoodputReport::LinkVerdict& of : report.verdicts) {
    table.row({"  " + to_string(of.verdict.part), of.verdict.name, verdict_line(report, of)});
  }
  return fmt::format("\nverdicts of single faults of {}\n", base::text::with_article(report.slice)) + table.text();
}

std::string goodput_text(const GoodputReport& r) {
  const goodput::JobOutcome sum = goodput::sum_of(r.outcomes);
  const auto n = double(r.outcomes.size());
  std::string text = fmt::format("{} on {} slice of {}: {}, {}, {}, {}; {:g} days, {} from {}\n\n", r.workload,
                                 base::text::with_article(r.slice), r.machine, base::text::counted(r.chips, "chip"),
                                 base::text::counted(r.hosts, "host"), base::text::counted(r.cables, "cable"),
                                 base::text::counted(r.optical_links, "optical link"), r.days,
                                 base::text::counted(r.seeds.count, "seed"), r.seeds.seed);
  text += fmt::format(
      "goodput        {} of the time in steps that count; of ten jobs one has less than {}, one more "
      "than {}, median {}\n",
      base::text::percent(goodput_share(sum.training, sum), 2),
      base::text::percent(goodput::goodput_quantile(r.outcomes, 0.1), 2),
      base::text::percent(goodput::goodput_quantile(r.outcomes, 0.9), 2),
      base::text::percent(goodput::goodput_quantile(r.outcomes, 0.5), 2));
  text += fmt::format("steps          {:.0f} of {} on average; {:.0f} if nothing else took time\n",
                      double(sum.steps) / n, base::to_string(base::Duration(goodput::seconds(r.plan.ways[0].step))),
                      goodput::seconds(r.plan.horizon) / goodput::seconds(r.plan.ways[0].step));
  text += counts_text(r, sum) + interval_text(r);
  text += fmt::format("hosts          each works {} of the time, all {} at once {}; {}\n",
                      base::text::percent(r.host_availability(), 2), r.hosts,
                      base::text::percent(r.slice_availability(), 1), base::text::counted(r.plan.spares, "spare"));
  text += shares_text(r, sum) + causes_text(r, sum) + ways_text(r) + values_text(r);
  if (!r.verdicts.empty()) text += verdicts_text(r);
  if (!r.warnings.empty()) text += "\n";
  for (const std::string& warning : r.warnings) text += "warning: " + warning + "\n";
  return text + fmt::format("\n{:.2f} s on this host\n", r.wall_s);
}

}  // namespace podsim::report
