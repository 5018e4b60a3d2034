// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/job_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "workloads/goodput/damage.h"
#include "workloads/goodput/saved_states.h"

namespace podsim::workloads::goodput {
namespace {

using Time = Nanoseconds;

Time exponential_time(Time mean, double draw) { return Time(std::llround(-double(mean.value()) * std::log(draw))); }

bool is_announced(Cause cause) { return cause == Cause::maintenance || cause == Cause::hbm_worn; }
bool is_link(Cause cause) { return cause == Cause::cable || cause == Cause::optics; }
bool is_chip(Cause cause) {
  return cause == Cause::chip || cause == Cause::hbm || cause == Cause::hbm_worn || cause == Cause::silent;
}

/// Where the job runs.
struct Position {
  Box box;
  const Way* way = nullptr;
  Time step;
};

/// A host with a defective chip that no check has found yet.
struct Corruption {
  Time begin;
  std::int64_t host = 0;
  std::int64_t checks_left = 0;  ///< until one finds it
  std::int64_t steps = 0;        ///< of the training that are right
};

class JobRun {
 public:
  JobRun(const JobPlan& plan, std::span<const FaultEvent> events)
      : plan_(plan), site_(*plan.site), events_(events), damage_(site_, plan.spares) {}

  JobOutcome run() {
    position_ = {whole(site_), plan_.ways.data(), plan_.ways[0].step};
    std::optional<FaultEvent> fault = pass(plan_.ways[0].restart, outcome_.start);
    while (!ended()) {
      if (fault) {
        recover(*std::exchange(fault, std::nullopt));
        continue;
      }
      fault = work();
    }
    finish();
    return outcome_;
  }

 private:
  bool ended() const { return now_ >= plan_.horizon; }

  // --- what fails

  std::int64_t host_of(const FaultEvent& event) const {
    return is_chip(event.cause) ? site_.host_of(noc::NodeId(event.unit)) : event.unit;
  }
  noc::LinkId link_of(const FaultEvent& event) const {
    const auto& links = event.cause == Cause::cable ? site_.cables() : site_.optical_links();
    return links[std::size_t(event.unit)];
  }
  /// Whether the part works when it fails; one in repair cannot.
  bool is_alive(const FaultEvent& event) const {
    return is_link(event.cause) ? !damage_.dead_link(link_of(event)) : !damage_.dead_host(host_of(event));
  }
  bool is_used(const FaultEvent& event) const {
    if (is_link(event.cause)) return has_link(site_, position_.box, link_of(event));
    if (is_chip(event.cause)) return has_chip(site_, position_.box, noc::NodeId(event.unit));
    return std::ranges::any_of(site_.chips_of(event.unit),
                               [&](noc::NodeId chip) { return has_chip(site_, position_.box, chip); });
  }
  void damage(const FaultEvent& event) {
    if (event.cause == Cause::software) return;
    if (is_link(event.cause)) {
      damage_.break_link(link_of(event), now_ + exponential_time(plan_.cable_repair, event.draw));
    } else {
      damage_.break_host(host_of(event), now_ + exponential_time(plan_.repair, event.draw));
      replace_corrupting(host_of(event));
    }
  }
  /// A defective chip that goes with its host corrupts no more, and no check finds what it has left in the weights.
  void replace_corrupting(std::int64_t host) {
    const auto found = std::ranges::find(corruptions_, host, &Corruption::host);
    if (found == corruptions_.end()) return;
    corrupt_from_ = std::min(corrupt_from_.value_or(found->steps), found->steps);
    corruptions_.erase(found);
  }
  void corrupt(const FaultEvent& event) {
    const std::int64_t steps = running_ ? stretch_.from.steps + stretch_.at(now_).steps : from_.steps;
    if (!plan_.check) {
      corrupt_from_ = std::min(corrupt_from_.value_or(steps), steps);
      return;
    }
    const std::int64_t host = host_of(event);
    if (std::ranges::find(corruptions_, host, &Corruption::host) != corruptions_.end()) return;
    const double missed = 1 - plan_.silent_found;
    const double checks = missed > 0 ? std::floor(std::log(event.draw) / std::log(missed)) : 0;
    corruptions_.push_back({event.time, host, 1 + std::int64_t(std::min(checks, 1e6)), steps});
  }
  /// The next failure up to a time, which becomes the time. std::nullopt: there is none, or the end of the days comes
  /// first.
  const FaultEvent* next_fault(Time until) {
    while (next_ < events_.size() && events_[next_].time <= until && events_[next_].time < plan_.horizon) {
      const FaultEvent& event = events_[next_++];
      if (is_alive(event)) return &event;
    }
    return nullptr;
  }

  // --- while the job does not run

  /// Lets time pass, into `account`, up to `length` or the end of the days. Returns the failure that ends it early.
  std::optional<FaultEvent> pass(Time length, Time& account) {
    const Time end = std::min(now_ + length, plan_.horizon);
    while (const FaultEvent* event = next_fault(end)) {
      spend(event->time, account);
      if (event->cause == Cause::silent) {
        if (is_used(*event)) corrupt(*event);
      } else if (is_used(*event)) {
        return *event;
      } else {
        damage(*event);
      }
    }
    spend(end, account);
    return std::nullopt;
  }
  void spend(Time until, Time& account) {
    account += until - now_;
    now_ = until;
    damage_.repair_until(now_);
  }

  /// Waits for the next repair. Failures meanwhile are repaired too.
  void await_repair(Time& account) {
    const Time end = std::min(damage_.next_repair().value_or(plan_.horizon), plan_.horizon);
    while (const FaultEvent* event = next_fault(end)) {
      spend(event->time, account);
      if (event->cause != Cause::silent) damage(*event);
    }
    spend(end, account);
  }

  /// The fastest way to go on with what is left. std::nullopt: none, or none that is worth it.
  std::optional<Position> choose() const {
    if (damage_.none()) return Position{whole(site_), plan_.ways.data(), plan_.ways[0].step};
    std::optional<Position> best;
    if (plan_.without_spare == WithoutSpare::wait) return best;
    if (damage_.dead_chips().empty() && plan_.rerouted) {
      best = Position{whole(site_), plan_.ways.data(), *plan_.rerouted};
    }
    for (std::size_t i = 1; i < plan_.ways.size(); ++i) {
      const Way& way = plan_.ways[i];
      if (best && best->step <= way.step) continue;
      if (auto box = free_box(site_, way.sizes, damage_.dead_chips(), damage_.dead_links())) {
        best = Position{*std::move(box), &way, way.step};
      }
    }
    return best && is_worth_it(*best) ? best : std::nullopt;
  }
  /// In steps of the whole slice: what it does in the mean time of a repair, against the restart behind it.
  bool is_worth_it(const Position& position) const {
    const double mean = seconds(damage_.dead_chips().empty() ? plan_.cable_repair : plan_.repair);
    const double gained =
        (mean - seconds(position.way->restart)) * seconds(plan_.ways[0].step) / seconds(position.step);
    return gained > seconds(plan_.ways[0].restart);
  }

  void recover(FaultEvent event) {
    while (!ended()) {
      CauseTimes& times = outcome_.of(event.cause);
      ++times.interruptions;
      ++(is_announced(event.cause) ? outcome_.announced : outcome_.interruptions);
      cause_ = event.cause;
      damage(event);
      const auto again = go_on(event.cause, times);
      if (!again) return;
      event = *again;
    }
  }

  /// From a failure until the job runs again. Returns the failure that prevents it.
  std::optional<FaultEvent> go_on(Cause cause, CauseTimes& times) {
    if (!is_announced(cause)) {
      if (auto again = pass(plan_.detection + plan_.diagnosis, times.detection)) return again;
    }
    std::optional<Position> position;
    while (!ended()) {
      if (damage_.exchange()) {
        if (auto again = pass(plan_.exchange, times.waiting)) return again;
      }
      if ((position = choose())) break;
      await_repair(times.waiting);
    }
    if (!position) return std::nullopt;
    count(*position);
    position_ = *std::move(position);
    return pass(position_.way->restart, times.restart);
  }
  void count(const Position& position) {
    if (position.way != plan_.ways.data()) {
      ++outcome_.smaller_slices;
    } else if (position.step != position.way->step) {
      ++outcome_.rerouted;
    }
  }

  // --- while it runs

  /// Runs until a failure ends it, which is returned, or the job moves, or the days end.
  std::optional<FaultEvent> work() {
    begin_stretch();
    // What was repaired while it restarted may allow a faster way already.
    if (position_.step > plan_.ways[0].step && move()) return std::nullopt;
    while (true) {
      const Time found = next_found();
      Time until = std::min(found, plan_.horizon);
      if (const auto repair = damage_.next_repair()) until = std::min(until, *repair);
      if (const FaultEvent* event = next_fault(until)) {
        now_ = event->time;
        damage_.repair_until(now_);
        if (auto fatal = while_running(*event)) return fatal;
        continue;
      }
      now_ = until;
      if (ended()) return std::nullopt;
      if (until == found) {
        go_back();
        return std::nullopt;
      }
      if (damage_.repair_until(now_) && move()) return std::nullopt;
    }
  }

  void begin_stretch() {
    running_ = true;
    stretch_ = Stretch{now_,
                       from_,
                       position_.step,
                       plan_.check_time(position_.step),
                       plan_.period(position_.step, *position_.way),
                       plan_.lag(*position_.way),
                       plan_.checkpoint_steps};
  }
  std::optional<FaultEvent> while_running(const FaultEvent& event) {
    if (!is_used(event)) {
      if (event.cause != Cause::silent) damage(event);
      return std::nullopt;
    }
    if (event.cause == Cause::silent) {
      corrupt(event);
      return std::nullopt;
    }
    CauseTimes& times = outcome_.of(event.cause);
    if (!is_announced(event.cause)) {
      stop(times);
      return event;
    }
    if (auto fault = save_and_stop(times)) {
      damage(event);
      return fault;
    }
    return event;
  }

  /// Ends the stretch; the job goes on from its newest checkpoint, or from one before `latest`.
  void stop(CauseTimes& times, std::optional<Time> latest = {}) {
    const Time work = end_stretch();
    return_to(latest ? states_.take_back(*latest) : states_.newest());
    times.lost += work - from_.work;
  }
  /// Returns the work of all steps up to now, with the unfinished one.
  Time end_stretch() {
    running_ = false;
    const Stretch::Progress done = stretch_.at(now_);
    account(done);
    states_.add(stretch_, now_);
    return stretch_.from.work + done.work;
  }
  void account(const Stretch::Progress& done) {
    outcome_.checks += done.checks;
    outcome_.checkpoints += done.checkpoints;
    for (Corruption& corruption : corruptions_) {
      corruption.checks_left = std::max<std::int64_t>(corruption.checks_left - checks_after(corruption), 1);
    }
  }
  /// Checks of this stretch behind the begin of a corruption, so far.
  std::int64_t checks_after(const Corruption& corruption) const {
    return stretch_.checks_until(now_) - stretch_.checks_until(std::max(corruption.begin, stretch_.begin));
  }
  /// Chips that compute wrong results go on with that from the state to which the job returns.
  void return_to(const SavedState& state) {
    from_ = state;
    if (corrupt_from_) corrupt_from_ = std::min(*corrupt_from_, state.steps);
    for (Corruption& corruption : corruptions_) corruption.steps = std::min(corruption.steps, state.steps);
  }

  /// Ends the stretch with a checkpoint of its last finished step. Returns the failure that prevents it.
  std::optional<FaultEvent> save_and_stop(CauseTimes& times) {
    if (now_ == stretch_.begin) {
      running_ = false;
      return std::nullopt;
    }
    const std::int64_t steps = stretch_.at(now_).steps;
    const Time work = end_stretch();
    const Time length = position_.way->save + position_.way->store;
    const SavedState state{now_ + length, stretch_.from.steps + steps, stretch_.from.work + stretch_.step * steps};
    if (auto fault = pass(length, outcome_.checkpoints)) {
      return_to(states_.newest());
      outcome_.of(fault->cause).lost += work - from_.work;
      return fault;
    }
    times.lost += work - state.work;
    from_ = state;
    states_.add(state);
    return std::nullopt;
  }

  /// Moves to a faster way, if there is one now.
  bool move() {
    const auto wanted = choose();
    if (!wanted || wanted->step >= position_.step) return false;
    CauseTimes& times = outcome_.of(cause_);
    if (auto fault = save_and_stop(times)) {
      recover(*fault);
      return true;
    }
    if (auto position = choose(); position && position->step < position_.step) {
      position_ = *std::move(position);
      count(position_);
    }
    if (auto fault = pass(position_.way->restart, times.restart)) recover(*fault);
    return true;
  }

  // --- silent corruption

  Time next_found() const {
    Time first(std::numeric_limits<std::int64_t>::max());
    for (const Corruption& corruption : corruptions_) first = std::min(first, found_at(corruption));
    return first;
  }
  Time found_at(const Corruption& corruption) const {
    const std::int64_t before = stretch_.checks_until(std::max(corruption.begin, stretch_.begin));
    const std::int64_t check = before + corruption.checks_left;
    if (double(check) * double(stretch_.period.value()) > 1e18) return Time(std::numeric_limits<std::int64_t>::max());
    return stretch_.end_of_check(check);
  }
  /// A check has found a defective chip.
  void go_back() {
    const auto found = std::ranges::min_element(corruptions_, {}, [&](const Corruption& c) { return found_at(c); });
    const Corruption corruption = *found;
    corruptions_.erase(found);
    CauseTimes& times = outcome_.of(Cause::silent);
    stop(times, corruption.begin);
    if (corrupt_from_ && from_.steps <= *corrupt_from_) corrupt_from_.reset();
    ++times.interruptions;
    ++outcome_.interruptions;
    cause_ = Cause::silent;
    if (!damage_.dead_host(corruption.host)) damage_.break_host(corruption.host, now_ + plan_.repair);
    if (auto fault = go_on(Cause::silent, times)) recover(*fault);
  }

  void finish() {
    Time work = from_.work, unfinished;
    outcome_.steps = from_.steps;
    if (running_) {
      const Stretch::Progress done = stretch_.at(now_);
      account(done);
      outcome_.steps = stretch_.from.steps + done.steps;
      unfinished = done.work - stretch_.step * done.steps;
      work = stretch_.from.work + done.work;
    }
    outcome_.training = plan_.ways[0].step * outcome_.steps + unfinished;
    outcome_.slower = work - outcome_.training;
    std::int64_t right = corrupt_from_.value_or(outcome_.steps);
    for (const Corruption& corruption : corruptions_) right = std::min(right, corruption.steps);
    outcome_.suspect_steps = outcome_.steps - right;
  }

  const JobPlan& plan_;
  const Site& site_;
  std::span<const FaultEvent> events_;
  std::size_t next_ = 0;
  Damage damage_;
  Time now_;
  Position position_;
  bool running_ = false;
  SavedState from_;  ///< what the next stretch begins with
  Stretch stretch_;  ///< the last one
  SavedStates states_;
  std::vector<Corruption> corruptions_;
  std::optional<std::int64_t> corrupt_from_;  ///< steps until a corruption that nothing checks
  Cause cause_ = Cause::chip;                 ///< of the last interruption
  JobOutcome outcome_;
};

std::int64_t units_of(const Site& site, Cause cause) {
  if (is_chip(cause)) return site.slice().nodes();
  if (cause == Cause::cable) return std::int64_t(site.cables().size());
  if (cause == Cause::optics) return std::int64_t(site.optical_links().size());
  return site.hosts();
}

}  // namespace

JobOutcome run_job(const JobPlan& plan, std::span<const FaultEvent> events) { return JobRun(plan, events).run(); }

std::vector<FaultSource> fault_sources(const Site& site, const std::array<double, all_causes.size()>& per_day,
                                       double shape) {
  std::vector<FaultSource> sources;
  for (const Cause cause : all_causes) {
    // Crashes, maintenance and wrong results do not come with the age of a part.
    const bool ages = cause != Cause::software && cause != Cause::maintenance && cause != Cause::silent;
    sources.push_back({cause, units_of(site, cause), per_day[std::size_t(cause)], ages ? shape : 1});
  }
  return sources;
}

}  // namespace podsim::workloads::goodput
