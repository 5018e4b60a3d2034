// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/search/choices.h"
#include "studies/search/objective.h"
#include "studies/search/sharding_candidates.h"
#include "studies/search/visited_store.h"
#include "studies/sweep/point_runners.h"

/// Looks for the fastest way to run a step.
namespace podsim::studies::search {

/// A way to run a step: a sharding, and what the flags choose.
struct Way {
  std::optional<sw::plans::ShardingPlan> plan;  ///< std::nullopt: the sharding as it is given
  std::vector<std::size_t> chosen;              ///< by choice: the alternative
  bool operator==(const Way&) const = default;
  auto operator<=>(const Way&) const = default;
};

/// A way that a search has run.
struct Visit {
  Way way;
  std::string command;               ///< that runs it
  std::optional<double> estimate_s;  ///< of its plan (sw/plans/plan_cost.h)
  sweep::Trial trial;
  std::optional<double> value;  ///< of the objective; std::nullopt: it does not run, or breaks a limit
};

struct SearchQuestion {
  std::vector<std::string> step;            ///< words of `podsim run` behind the program's name, without --json
  std::vector<std::string> judge = {};      ///< more of them, with which ways are compared; empty: as the step runs
  ShardingCandidates* shardings = nullptr;  ///< null: the sharding is given
  std::vector<Choice> choices;
  Objective objective;
  std::size_t points = 0;               ///< ways to run at most
  bool sharded_updates = false;         ///< by its words: bounds leave out the update
  bool exhaustive = false;              ///< runs every sharding, also those that cannot be best
  std::int64_t timeout_s = 0;           ///< of a way; 0: none
  std::filesystem::path folder = {};    ///< for sharding files
  std::filesystem::path op_cache = {};  ///< what ways share of the costs of ops; empty: nothing
};

struct SearchOutcome {
  std::vector<Visit> visits;        ///< in the order of the search; the first is the step as it is given
  std::optional<std::size_t> best;  ///< std::nullopt: no way runs
  /// With a judge: runs without its words, of the step as it is given and of the best way if that is another. A best
  /// way that ends in these is no slower than the given step.
  std::vector<Visit> whole;
  /// No sharding of the space is faster, with the flags with which shardings were run: those that did not run have
  /// bounds that are not below the best.
  bool proven = false;
};

/// Runs ways in rounds, whatever the number of runners, so that the same points are visited by all:
///
///   1. the step as it is given, and from it every other alternative of every choice, one at a time; then all that gain
///      together, and again from there, while the best changes,
///   2. shardings, with the flags of the best, until a quarter of the points is left: first the plans of each mesh that
///      cost least by formula; then in each round of eight four of all that were ranked and four neighbours of the best
///      one so far, those that are expected to take least (learned_cost.h),
///   3. if a sharding is best, the choices once more from there,
///   4. with a judge, the step as it is given without its words, and up to three ways that the judge finds better,
///   until
///      one is no slower or does not end; a judge proves nothing.
///
/// Ways in `store` do not run again. Throws Interrupted if `stop` is set.
SearchOutcome search_step(const SearchQuestion& question, VisitedStore& store, sweep::PointRunners& runners,
                          const std::atomic<bool>& stop, const std::function<void(double share)>& progress);

/// A time that no step of a way with a plan is shorter than, in seconds (sw/plans/plan_bound.h).
double least_step_s(const SearchQuestion& question, const sw::plans::ShardingPlan& plan, const Way& way);

/// The sharding file of a way's plan, and words of `podsim run` for it.
std::vector<std::string> words_of(const SearchQuestion& question, const Way& way);

}  // namespace podsim::studies::search
