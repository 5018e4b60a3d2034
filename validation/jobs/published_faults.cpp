// SPDX-License-Identifier: Apache-2.0
#include "validation/jobs/published_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "workloads/goodput/availability.h"
#include "workloads/goodput/seeds.h"

namespace podsim::validation::jobs {

namespace goodput = workloads::goodput;

namespace {

constexpr double drawn_days = 1000;
constexpr std::int64_t drawn_jobs = 20;

goodput::Nanoseconds of_seconds(double seconds) { return goodput::nanoseconds(base::Duration(seconds)); }

/// Failures per day of so many parts, over a thousand days.
double drawn_per_day(std::int64_t parts, double per_day) {
  const goodput::FaultSource source{goodput::Cause::host, parts, per_day, 1};
  return double(goodput::fault_events({&source, 1}, of_seconds(drawn_days * 86'400), 1).size()) / drawn_days;
}

/// Jobs on 2048 hosts of 8 that crash `per_day` times: steps of 10 s, checkpoints of 10 s at Daly's interval.
goodput::JobOutcome crashing_jobs(double days, double per_day, double restart_s) {
  const noc::PodShape pod{{128, 128}, 1};
  const goodput::Site site(noc::slice_topology(pod, {128, 128}), pod, 8);
  goodput::JobPlan plan;
  plan.site = &site;
  plan.horizon = of_seconds(days * 86'400);
  plan.ways.push_back({site.sizes(), of_seconds(10), of_seconds(restart_s), of_seconds(10), of_seconds(0)});
  const goodput::FaultSource crashes{goodput::Cause::software, site.hosts(), per_day / double(site.hosts()), 1};
  const base::Duration between = goodput::time_between_failures({&crashes, 1});
  const double interval_s = goodput::daly_interval(base::Duration(10), between).si();
  plan.checkpoint_steps = std::max<std::int64_t>(std::llround(interval_s / 10), 1);
  return goodput::sum_of(goodput::run_seeds(plan, {&crashes, 1}, {drawn_jobs, 1}));
}

/// A count that varies as Poisson's does, over `drawn` of its intervals: within four deviations.
FaultFigure counted_figure(std::string figure, std::string source, double published, double drawn, double simulated,
                           std::string unit, std::string rests_on) {
  const double spread = 4 * std::sqrt(published / drawn);
  return {std::move(figure),  std::move(source),  fmt::format("{:g}", published),
          published - spread, published + spread, simulated,
          std::move(unit),    std::move(rests_on)};
}

}  // namespace

std::vector<FaultFigure> fault_figures() {
  const goodput::JobOutcome llama = crashing_jobs(54, 466 / 54.0, 540);
  const goodput::JobOutcome often = crashing_jobs(30, 1440 / 18.0, 300);
  const double half = goodput::share_in_joined_slices({64, 16, 0.995}, 32);
  return {
      counted_figure("failures of 1024 hosts of TPU v4", "Zu et al., NSDI 2024", 0.82, drawn_days,
                     drawn_per_day(1024, 8e-4), "a day", "0.08 % of the hosts a day, of the same source"),
      {"a machine of 4096 chips in slices of 2048", "Jouppi et al., ISCA 2023", "50", 49, 51, 100 * half, "%",
       "hosts that work 99.5 % of the time, any 32 of 64 cubes of 16 hosts joined by switches; our record of the "
       "source says "
       "without them, where fixed halves give 7.7 %: unresolved"},
      counted_figure("interruptions of 16,384 GPUs in 54 days", "Llama 3 report", 466, drawn_jobs,
                     double(llama.interruptions) / drawn_jobs, "", "8.6 a day, of the same source"),
      {"effective time of this job", "Llama 3 report", "over 90", 90, 100, 100 * goodput::goodput(llama), "%",
       "8.6 interruptions a day; assumed: 9 min from one to the next step, checkpoints of 10 s"},
      {"time between failures of 100,000 GPUs", "FT-HSDP, arXiv 2602.00277", "18", 17, 19,
       1440 / drawn_per_day(12'500, 6.5e-3), "min", "6.5 failures in 1000 node-days of RSC-1 (arXiv 2410.21680)"},
      {"the same from its own rate", "FT-HSDP, arXiv 2602.00277", "18", 17, 19, 1440 / drawn_per_day(12'500, 2.3e-3),
       "min", "2.3 interruptions a day in 1000 servers, of the same source: its two figures are not of one rate"},
      {"effective time of such a job", "FT-HSDP, arXiv 2602.00277", "44 to 80", 44, 80, 100 * goodput::goodput(often),
       "%", "a failure in 18 min; assumed: 5 min from one to the next step, which decides it, checkpoints of 10 s"},
      counted_figure("failures of 5e5 lasers", "texts on optics", 0.6, drawn_days, drawn_per_day(500'000, 50e-9 * 24),
                     "a day", "50 failures in 1e9 hours, of the same source"),
  };
}

std::string faults_text(const std::vector<FaultFigure>& figures) {
  using enum base::text::TextTable::Align;
  base::text::TextTable table({right, left, right, right, left, left, left});
  table.row({"", "figure", "published", "simulated", "", "", "source"});
  std::string notes;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const FaultFigure& row = figures[i];
    table.row({fmt::format("{}", i + 1), row.figure, row.published, fmt::format("{:.4g}", row.simulated), row.unit,
               row.agrees() ? "agrees" : "differs", row.source});
    notes += fmt::format("  {}  {}\n", i + 1, row.rests_on);
  }
  return table.text() + "\nwhat the simulated figures rest on\n" + notes;
}

std::string faults_json(const std::vector<FaultFigure>& figures) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const FaultFigure& row : figures) {
    rows.push_back({{"figure", row.figure},
                    {"source", row.source},
                    {"published", row.published},
                    {"least", row.least},
                    {"most", row.most},
                    {"simulated", row.simulated},
                    {"unit", row.unit},
                    {"agrees", row.agrees()},
                    {"rests_on", row.rests_on}});
  }
  const nlohmann::ordered_json json = {{"schema_version", 1}, {"command", "validate faults"}, {"faults", rows}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::validation::jobs
