// SPDX-License-Identifier: Apache-2.0
#include "studies/search/step_search.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/interrupt.h"
#include "studies/search/learned_cost.h"
#include "studies/sweep/command_run.h"

namespace podsim::studies::search {
namespace {

using Words = std::vector<std::string>;
using sw::plans::RankedPlan;

constexpr std::size_t in_a_round = 8;
constexpr double least_gain = 1e-3;  ///< a better value than that of the best so far

/// A way with the estimate of its plan.
struct Candidate {
  Way way;
  std::optional<double> estimate_s;
};

class StepSearch {
 public:
  StepSearch(const SearchQuestion& question, VisitedStore& store, sweep::PointRunners& runners,
             const std::atomic<bool>& stop, const std::function<void(double)>& progress)
      : question_(question), store_(store), runners_(runners), stop_(stop), progress_(progress) {}

  SearchOutcome run() && {
    visit({as_given()});
    search_choices();
    if (question_.shardings != nullptr) search_both();
    if (!question_.judge.empty() && outcome_.best) check_whole();
    return std::move(outcome_);
  }

 private:
  Candidate as_given() const {
    return {{.plan = std::nullopt, .chosen = std::vector<std::size_t>(question_.choices.size())}, std::nullopt};
  }

  Candidate with_plan(const RankedPlan& plan) const {
    Candidate candidate = as_given();
    for (std::size_t i = 0; outcome_.best && i < question_.choices.size(); ++i) {
      const bool is_kept = best().way.plan || !question_.choices[i].divides;
      if (is_kept) candidate.way.chosen[i] = best().way.chosen[i];
    }
    candidate.way.plan = plan.plan;
    candidate.estimate_s = plan.cost.total_s();
    return candidate;
  }

  const Visit& best() const { return outcome_.visits[*outcome_.best]; }
  std::size_t left() const { return question_.points - std::min(question_.points, outcome_.visits.size()); }
  bool is_visited(const Way& way) const { return visited_.contains(way); }

  void search_both() {
    const std::size_t for_choices = question_.choices.empty() ? 0 : question_.points / 4;
    search_shardings(for_choices);
    if (outcome_.best && best().way.plan) {
      search_choices();
    } else {
      search_shardings(0);
    }
  }

  /// Until `kept_back` points are left.
  void search_shardings(std::size_t kept_back) {
    if (question_.exhaustive) kept_back = 0;
    std::vector<Candidate> round;
    add_best_of_meshes(round);
    while (true) {
      if (outcome_.best && best().way.plan) {
        add_expected(round, in_a_round / 2, question_.shardings->neighbours(*best().way.plan));
      }
      add_expected(round, in_a_round, question_.shardings->ranked().plans);
      const std::size_t room = left() - std::min(left(), kept_back);
      if (round.size() > room) round.resize(room);
      if (round.empty()) break;
      const std::size_t first = outcome_.visits.size();
      visit(std::exchange(round, {}));
      learn(first);
    }
    outcome_.proven = is_proven();
  }

  /// Whether every plan of the space has been run or cannot be faster than the best step so far.
  bool is_proven() {
    const sw::plans::RankedPlans& ranked = question_.shardings->ranked();
    return ranked.all && outcome_.best && std::ranges::all_of(ranked.plans, [&](const RankedPlan& plan) {
             const Way way = with_plan(plan).way;
             return is_slower(plan.plan, way) || is_settled(way);
           });
  }

  /// True if a way has run, or was refused.
  bool is_settled(const Way& way) const {
    const auto visit = std::ranges::find(outcome_.visits, way, &Visit::way);
    return visit != outcome_.visits.end() && (visit->trial.done || visit->trial.exit_code == base::host::bad_input);
  }

  /// True if a bound says that a plan is no faster than the best step so far.
  bool is_slower(const sw::plans::ShardingPlan& plan, const Way& way) {
    if (!outcome_.best || question_.exhaustive || question_.objective.metric != nullptr) return false;
    return least_step_s(question_, plan, way) >= best().trial.figures.value("step_time_s", 0.0);
  }

  /// Fills a round with the plans that cost least of each mesh, so that what is learned is of many kinds.
  void add_best_of_meshes(std::vector<Candidate>& round) const {
    std::set<std::vector<std::int64_t>> seen;
    for (const RankedPlan& plan : question_.shardings->ranked().plans) {
      if (round.size() == in_a_round) return;
      if (seen.insert(plan.plan.axes).second) add(round, with_plan(plan));
    }
  }

  /// Takes over what visits from `first` on have shown.
  void learn(std::size_t first) {
    bool any_runs = false;
    for (std::size_t i = first; i < outcome_.visits.size(); ++i) {
      const Visit& visit = outcome_.visits[i];
      if (!visit.way.plan) continue;
      const RankedPlan plan{*visit.way.plan, question_.shardings->cost_of(*visit.way.plan)};
      const double step = visit.trial.done ? visit.trial.figures.value("step_time_s", 0.0) : 0;
      if (step > 0) {
        learned_.add(plan, step);
      } else {
        learned_.add_refused(plan);
      }
      any_runs = any_runs || step > 0;
    }
    if (any_runs) learned_.fit();
  }

  /// Adds plans until a round has `count` ways, those that are expected to take least first.
  void add_expected(std::vector<Candidate>& round, std::size_t count, const std::vector<RankedPlan>& plans) {
    std::vector<std::pair<double, const RankedPlan*>> order;
    for (const RankedPlan& plan : plans) order.emplace_back(learned_.expected_s(plan), &plan);
    std::ranges::stable_sort(order, {}, [](const auto& of) { return of.first; });
    for (const auto& [seconds, plan] : order) {
      if (round.size() >= count) return;
      Candidate candidate = with_plan(*plan);
      if (!is_slower(plan->plan, candidate.way)) add(round, std::move(candidate));
    }
  }

  void add(std::vector<Candidate>& round, Candidate candidate) const {
    const auto is_same = [&](const Candidate& other) { return other.way == candidate.way; };
    if (!is_visited(candidate.way) && std::ranges::none_of(round, is_same)) round.push_back(std::move(candidate));
  }

  /// Tries every other alternative of every choice of the best way, then all together that gain; again, while the best
  /// changes.
  void search_choices() {
    while (outcome_.best && left() > 0) {
      const std::size_t from = *outcome_.best;
      std::vector<Candidate> round;
      for (std::size_t choice = 0; choice < question_.choices.size(); ++choice) {
        for (std::size_t i = 0; i < question_.choices[choice].of.size(); ++i) {
          Candidate candidate{outcome_.visits[from].way, outcome_.visits[from].estimate_s};
          candidate.way.chosen[choice] = i;
          add(round, std::move(candidate));
        }
      }
      visit(std::move(round));
      if (*outcome_.best == from) return;
      round.clear();
      add(round, all_that_gain(outcome_.visits[from]));
      visit(std::move(round));
    }
  }

  /// A way with the best alternative of every choice of those that were tried one at a time from `from`.
  Candidate all_that_gain(const Visit& from) const {
    Candidate candidate{from.way, from.estimate_s};
    std::vector<double> gains(from.way.chosen.size(), 1);
    for (const Visit& visit : outcome_.visits) {
      if (!visit.value || visit.way.plan != from.way.plan) continue;
      std::vector<std::size_t> changed;
      for (std::size_t i = 0; i < gains.size(); ++i) {
        if (visit.way.chosen[i] != from.way.chosen[i]) changed.push_back(i);
      }
      if (changed.size() != 1 || ratio(*visit.value, *from.value) <= gains[changed.front()]) continue;
      gains[changed.front()] = ratio(*visit.value, *from.value);
      candidate.way.chosen[changed.front()] = visit.way.chosen[changed.front()];
    }
    return candidate;
  }

  /// Runs the ways that are not in the store, as many as are left.
  void visit(std::vector<Candidate> round) {
    if (round.size() > left()) round.resize(left());
    std::vector<Words> missing;
    std::vector<std::size_t> positions;
    const std::size_t first = outcome_.visits.size();
    for (Candidate& candidate : round) {
      Visit& added = outcome_.visits.emplace_back();
      visited_.insert(candidate.way);
      added.way = std::move(candidate.way);
      added.estimate_s = candidate.estimate_s;
      Words words = words_of(question_, added.way);
      words.insert(words.end(), question_.judge.begin(), question_.judge.end());
      added.command = "podsim " + base::host::shell_line(words);
      if (store_.find(added.command) != nullptr) continue;
      positions.push_back(outcome_.visits.size() - 1);
      if (!question_.op_cache.empty()) words.insert(words.end(), {"--op-cache", question_.op_cache.string()});
      missing.push_back(std::move(words));
    }
    run(missing, positions, outcome_.visits, 0);
    for (std::size_t i = first; i < outcome_.visits.size(); ++i) judge(i);
  }

  /// Runs the step as it is given whole, and the ways that the judge finds better until one is no slower than that, or
  /// does not end.
  void check_whole() {
    constexpr std::size_t most = 3;
    outcome_.proven = false;  // of the judge's steps
    const std::optional<double> judged = outcome_.visits.front().value;
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < outcome_.visits.size(); ++i) {
      const std::optional<double>& value = outcome_.visits[i].value;
      if (value && i != *outcome_.best && (!judged || *value > *judged)) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return *outcome_.visits[i].value; });
    if (*outcome_.best != 0) order.insert(order.begin(), *outcome_.best);
    if (order.size() > most) order.resize(most);
    outcome_.whole =
        run_whole(*outcome_.best == 0 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, order[0]});
    if (*outcome_.best == 0) return;
    const std::optional<double> given = outcome_.whole.front().value;
    for (std::size_t next = 1; given && outcome_.whole[1].value && *outcome_.whole[1].value < *given; ++next) {
      if (next == order.size()) {
        outcome_.best = 0;
        outcome_.whole.pop_back();
        return;
      }
      outcome_.best = order[next];
      outcome_.whole[1] = run_whole({order[next]}).front();
    }
  }

  /// Visits again, without the judge's words.
  std::vector<Visit> run_whole(const std::vector<std::size_t>& of) {
    std::vector<Visit> visits;
    std::vector<Words> commands;
    std::vector<std::size_t> positions;
    for (const std::size_t i : of) {
      Visit& visit = visits.emplace_back(outcome_.visits[i]);
      Words words = words_of(question_, visit.way);
      visit.command = "podsim " + base::host::shell_line(words);
      if (store_.find(visit.command) != nullptr) continue;
      if (!question_.op_cache.empty()) words.insert(words.end(), {"--op-cache", question_.op_cache.string()});
      positions.push_back(visits.size() - 1);
      commands.push_back(std::move(words));
    }
    run(commands, positions, visits, outcome_.visits.size() + whole_runs_);
    whole_runs_ += visits.size();
    for (Visit& visit : visits) evaluate(visit);
    return visits;
  }

  /// `positions` are those of the commands' visits, which are numbered from `first` on.
  void run(const std::vector<Words>& commands, const std::vector<std::size_t>& positions,
           const std::vector<Visit>& visits, std::size_t first) {
    if (commands.empty()) return;
    const sweep::CommandWatch watch{.ended =
                                        [&](std::size_t command, const base::host::ProcessOutput& output) {
                                          const Visit& of = visits[positions[command]];
                                          store_.add(std::int64_t(first + positions[command]), of.command,
                                                     name_of(of.way), of.estimate_s, sweep::trial_of(output));
                                          ++ended_;
                                        },
                                    .waited = [&] { progress_(double(ended_) / double(question_.points)); }};
    if (!sweep::run_commands(commands, runners_, question_.timeout_s, stop_, watch)) throw base::host::Interrupted();
  }

  void judge(std::size_t i) {
    const Visit& visit = outcome_.visits[i];
    evaluate(outcome_.visits[i]);
    if (!visit.value) return;
    if (!outcome_.best || is_better(*visit.value, *best().value, least_gain)) outcome_.best = i;
  }

  void evaluate(Visit& visit) const {
    visit.trial = *store_.find(visit.command);
    visit.value = visit.trial.done ? value_of(question_.objective, visit.trial.figures) : std::nullopt;
  }

  static std::string name_of(const Way& way) {
    return way.plan ? sw::plans::to_string(*way.plan) : "the sharding as it is given";
  }

  const SearchQuestion& question_;
  VisitedStore& store_;
  sweep::PointRunners& runners_;
  const std::atomic<bool>& stop_;
  const std::function<void(double)>& progress_;
  std::size_t ended_ = 0, whole_runs_ = 0;
  LearnedCost learned_;
  std::set<Way> visited_;
  SearchOutcome outcome_;
};

}  // namespace

SearchOutcome search_step(const SearchQuestion& question, VisitedStore& store, sweep::PointRunners& runners,
                          const std::atomic<bool>& stop, const std::function<void(double share)>& progress) {
  return StepSearch(question, store, runners, stop, progress).run();
}

double least_step_s(const SearchQuestion& question, const sw::plans::ShardingPlan& plan, const Way& way) {
  bool sharded_updates = question.sharded_updates;
  for (std::size_t i = 0; i < way.chosen.size(); ++i) {
    sharded_updates = sharded_updates || (question.choices[i].divides && way.chosen[i] != 0);
  }
  return question.shardings->least_step_s(plan, sharded_updates);
}

std::vector<std::string> words_of(const SearchQuestion& question, const Way& way) {
  Words words;
  for (std::size_t i = 0; i < question.step.size(); ++i) {
    const std::string& word = question.step[i];
    if (way.plan && word == "--mesh") {
      ++i;  // the file has the mesh
    } else if (!way.plan || !word.starts_with("--mesh=")) {
      words.push_back(word);
    }
  }
  if (way.plan) {
    words.emplace_back("--sharding");
    words.push_back(question.shardings->write(*way.plan, question.folder).string());
  }
  for (std::size_t choice = 0; choice < way.chosen.size(); ++choice) {
    const Alternative& chosen = question.choices[choice].of[way.chosen[choice]];
    words.insert(words.end(), chosen.words.begin(), chosen.words.end());
  }
  return words;
}

}  // namespace podsim::studies::search
