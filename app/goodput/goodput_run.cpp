// SPDX-License-Identifier: Apache-2.0
#include "app/goodput/goodput_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "app/goodput/ways.h"
#include "app/options/slice.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "hw/parts/reliability/reliability_parameters.h"
#include "workloads/job/job_parameters.h"

namespace podsim::app::goodput {

namespace model = workloads::goodput;

namespace {

using Reliability = hw::parts::reliability::Parameters;

constexpr std::int64_t most_chips_with_links = 64;  ///< of a slice whose links are each simulated for their verdict
constexpr double most_failures = 5e6;               ///< of all seeds together, which are held in memory
constexpr double most_days_of_all = 100'000;        ///< which nanoseconds count: 274 years

std::array<double, model::all_causes.size()> rates_of(const Reliability& faults) {
  std::array<double, model::all_causes.size()> rates{};
  const auto set = [&](model::Cause cause, double rate) { rates[std::size_t(cause)] = rate; };
  set(model::Cause::chip, faults.chip);
  set(model::Cause::hbm, faults.hbm);
  set(model::Cause::hbm_worn, faults.hbm_worn);
  set(model::Cause::host, faults.host);
  set(model::Cause::software, faults.software);
  set(model::Cause::maintenance, faults.maintenance);
  set(model::Cause::cable, faults.cable);
  set(model::Cause::optics, faults.optics);
  set(model::Cause::silent, faults.silent);
  return rates;
}

std::vector<base::ConfigEntry> values_of(const base::Config& machine) {
  std::vector<base::ConfigEntry> values;
  for (const base::ConfigEntry& entry : machine.entries()) {
    if (entry.key.starts_with("faults.") || entry.key.starts_with("job.")) values.push_back(entry);
  }
  return values;
}

/// One `podsim goodput`.
class GoodputRun {
 public:
  explicit GoodputRun(const GoodputOptions& options)
      : options_(options), machine_(options.run.machine.load()), whole_(job_on_slice(options.run)) {
    report_.workload = whole_.workload;
    report_.machine = whole_.machine.name;
    report_.slice = whole_.slice;
    report_.chips = whole_.chips;
    report_.days = options.days;
    report_.seeds = options.seeds;
    report_.warnings = whole_.warnings;
    report_.checkpoint = *whole_.checkpoint;
    report_.values = values_of(machine_);
    const hw::PodParameters& pod = whole_.machine.pod;
    site_ = std::make_shared<model::Site>(options::parse_slice(whole_.slice, whole_.machine),
                                          noc::PodShape{pod.dimensions, pod.pods}, pod.host_chips);
    report_.hosts = site_->hosts();
    report_.cables = std::int64_t(site_->cables().size());
    report_.optical_links = std::int64_t(site_->optical_links().size());
    report_.site = site_;
  }

  report::GoodputReport run() {
    base::host::throw_on_interrupt();
    find_ways();
    make_plan();
    if (options_.verdicts) find_verdicts();
    choose_interval();
    report_.outcomes = model::run_seeds(report_.plan, report_.sources, options_.seeds);
    return std::move(report_);
  }

 private:
  void find_ways() {
    model::Way way = way_of(whole_, machine_);
    way.sizes = site_->sizes();
    report_.ways.push_back({way, "the whole slice"});
    if (options_.without_spare == model::WithoutSpare::wait) return;
    for (auto& smaller : smaller_ways(options_.run, whole_, *site_, machine_))
      report_.ways.push_back(std::move(smaller));
    base::host::throw_on_interrupt();  // a run that has ended does not listen to interruptions
    if (const auto slowdown = slowdown_around_any(whole_, *site_)) {
      report_.plan.rerouted = model::nanoseconds(base::Duration(model::seconds(way.step) * *slowdown));
      report_.rerouted_how = "messages take other links";
    }
  }

  void make_plan() {
    const Reliability faults = hw::parts::reliability::read_parameters(machine_);
    model::JobPlan& plan = report_.plan;
    plan.site = site_.get();
    plan.horizon = model::nanoseconds(base::Duration(options_.days * 86'400));
    for (const auto& way : report_.ways) plan.ways.push_back(way.way);
    plan.beside = workloads::job::read_job_parameters(machine_).checkpoint_beside;
    if (options_.checks) plan.check = plan.ways[0].step;
    plan.silent_found = faults.silent_found;
    plan.spares = options_.spares;
    plan.without_spare = options_.without_spare;
    plan.detection = model::nanoseconds(faults.detection);
    plan.diagnosis = model::nanoseconds(faults.diagnosis);
    plan.exchange = model::nanoseconds(faults.exchange);
    plan.repair = model::nanoseconds(faults.repair);
    plan.cable_repair = model::nanoseconds(faults.cable_repair);
    report_.sources = model::fault_sources(*site_, rates_of(faults), faults.shape);
    check_failures();
  }

  void check_failures() const {
    double failures = 0;
    for (const model::FaultSource& source : report_.sources) failures += double(source.units) * source.per_day;
    failures *= options_.days * double(options_.seeds.count);
    if (failures <= most_failures) return;
    throw base::InputError(
        fmt::format("{:.3g} failures of all seeds together are more than {:g}", failures, most_failures),
        "lower rates of [faults], fewer --seeds or --days");
  }

  void choose_interval() {
    model::JobPlan& plan = report_.plan;
    const double step_s = model::seconds(plan.ways[0].step);
    const auto steps_of = [&](double seconds) {
      const double most = model::seconds(plan.horizon) / step_s;
      return std::max<std::int64_t>(std::llround(std::min(seconds / step_s, most)), 1);
    };
    const bool fails = std::isfinite(report_.between_failures().si());
    if (fails) {
      report_.search = model::search_interval(plan, report_.sources, options_.seeds);
      if (report_.search->points.size() < 4) report_.search.reset();
    }
    if (options_.checkpoint_every) {
      report_.interval_source = "--checkpoint-every";
      plan.checkpoint_steps = steps_of(options_.checkpoint_every->si());
    } else if (report_.search) {
      report_.interval_source = "the best";
      plan.checkpoint_steps = steps_of(report_.search->best.work.si());
    } else if (fails) {
      report_.interval_source = "Daly's, of too few steps for a search";
      plan.checkpoint_steps = steps_of(report_.daly().si());
    } else {
      report_.interval_source = "none is needed, as nothing fails";
      plan.checkpoint_steps = steps_of(model::seconds(plan.horizon));
    }
  }

  void find_verdicts() {
    const bool all_links = site_->slice().nodes() <= most_chips_with_links;
    for (model::Verdict& verdict : model::verdicts(*site_)) {
      std::optional<double> slowdown;
      if (verdict.hops > 0 && all_links) slowdown = slowdown_around(whole_, *site_, *verdict.link);
      report_.verdicts.push_back({std::move(verdict), slowdown});
    }
  }

  const GoodputOptions& options_;
  base::Config machine_;
  report::run::RunReport whole_;
  std::shared_ptr<model::Site> site_;
  report::GoodputReport report_;
};

}  // namespace

report::GoodputReport run_goodput(const GoodputOptions& options) {
  if (double(options.seeds.count) * options.days > most_days_of_all) {
    throw base::InputError(fmt::format("{} seeds of {:g} days are more than {:g} days together", options.seeds.count,
                                       options.days, most_days_of_all),
                           "fewer --seeds or --days");
  }
  const auto begin = base::host::HostClock::now();
  report::GoodputReport report = GoodputRun(options).run();
  report.wall_s = base::host::seconds_since(begin);
  return report;
}

}  // namespace podsim::app::goodput
