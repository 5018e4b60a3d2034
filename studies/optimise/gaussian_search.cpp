// SPDX-License-Identifier: Apache-2.0
// Part of studies/optimise/search_method.h.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <set>
#include <utility>

#include "studies/optimise/candidate_draw.h"
#include "studies/optimise/gaussian_process.h"
#include "studies/optimise/hypervolume.h"
#include "studies/optimise/search_method.h"

namespace podsim::studies::optimise {
namespace {

constexpr std::int64_t all_compared = 4096, drawn_ones = 2048;

/// A process that is fitted to some values, and then takes beliefs for values.
class Model {
 public:
  Model(const SearchSpace& space, std::vector<Candidate> candidates, std::vector<double> values)
      : space_(space),
        candidates_(std::move(candidates)),
        values_(std::move(values)),
        parameters_(likely_parameters(space_, candidates_, values_)) {
    make();
  }

  Prediction at(const Candidate& candidate) const { return process_->at(candidate); }
  void believe(const Candidate& candidate, double value) {
    candidates_.push_back(candidate);
    values_.push_back(value);
    make();
  }

 private:
  void make() { process_ = std::make_unique<GaussianProcess>(space_, candidates_, values_, parameters_); }

  const SearchSpace& space_;
  std::vector<Candidate> candidates_;
  std::vector<double> values_;
  ProcessParameters parameters_;
  std::unique_ptr<GaussianProcess> process_;
};

/// One cost as it is modelled and compared: its logarithm if all that were seen are positive, minus the logarithm of
/// its amount if all are negative, as of what is maximised.
class CostScale {
 public:
  CostScale(const std::vector<Tried>& tried, std::size_t objective) {
    for (const Tried& one : tried) {
      if (!one.costs) continue;
      positive_ = positive_ && (*one.costs)[objective] > 0;
      negative_ = negative_ && (*one.costs)[objective] < 0;
    }
  }
  double of(double cost) const {
    constexpr double least = 1e-300;  // amount of a known cost that, unlike all seen ones, has another sign
    if (positive_) return std::log(std::max(cost, least));
    return negative_ ? -std::log(std::max(-cost, least)) : cost;
  }

 private:
  bool positive_ = true, negative_ = true;
};

/// Merit of a candidate; the second number decides where the first is the same, such as 0 everywhere.
using Merit = std::pair<double, double>;

class BatchChoice {
 public:
  BatchChoice(SearchProblem& problem, const std::vector<Tried>& tried) : problem_(problem) {
    std::vector<Candidate> ran, all;
    std::vector<double> eligible;
    bool both = false;
    for (const Tried& one : tried) {
      all.push_back(one.candidate);
      eligible.push_back(one.eligible ? 1 : -1);
      both = both || one.eligible != tried.front().eligible;
      if (one.costs) ran.push_back(one.candidate);
    }
    for (std::size_t i = 0; i < problem.objectives(); ++i) {
      scales_.emplace_back(tried, i);
      if (ran.empty() || problem.known_cost(ran.front(), i)) {
        models_.emplace_back();
        continue;
      }
      std::vector<double> values;
      for (const Tried& one : tried) {
        if (one.costs) values.push_back(scales_[i].of((*one.costs)[i]));
      }
      models_.push_back(std::make_unique<Model>(problem.space(), ran, std::move(values)));
    }
    if (both) eligibility_ = std::make_unique<Model>(problem.space(), all, std::move(eligible));
    find_front(tried);
  }

  Merit merit(const Candidate& candidate) const {
    const double chance = eligible_chance(candidate);
    if (best_.empty()) return {chance, 0};
    const std::vector<Prediction> costs = predictions(candidate);
    double doubt = 0;
    for (const Prediction& cost : costs) doubt += cost.deviation;
    const double gain = front_->expected_gain(costs);
    return {gain * chance, doubt * chance};
  }

  /// Takes the mean at a chosen candidate for its result.
  void believe(const Candidate& candidate) {
    if (eligibility_) eligibility_->believe(candidate, 1);
    if (best_.empty()) return;
    Costs mean;
    for (const Prediction& cost : predictions(candidate)) mean.push_back(cost.mean);
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (models_[i]) models_[i]->believe(candidate, mean[i]);
    }
    best_.push_back(std::move(mean));
    front_ = std::make_unique<HypervolumeFront>(best_, reference_);
  }

 private:
  void find_front(const std::vector<Tried>& tried) {
    Costs least, most;
    for (const Tried& one : tried) {
      if (!one.eligible || !one.costs) continue;
      Costs costs;
      for (std::size_t i = 0; i < scales_.size(); ++i) costs.push_back(scales_[i].of((*one.costs)[i]));
      if (best_.empty()) least = most = costs;
      for (std::size_t i = 0; i < costs.size(); ++i) {
        least[i] = std::min(least[i], costs[i]);
        most[i] = std::max(most[i], costs[i]);
      }
      best_.push_back(std::move(costs));
    }
    for (std::size_t i = 0; i < most.size(); ++i) {
      const double range = most[i] - least[i];
      reference_.push_back(most[i] + (range > 0 ? range / 10 : 1));
    }
    if (!best_.empty()) front_ = std::make_unique<HypervolumeFront>(best_, reference_);
  }

  std::vector<Prediction> predictions(const Candidate& candidate) const {
    std::vector<Prediction> costs;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (models_[i]) {
        costs.push_back(models_[i]->at(candidate));
      } else {
        costs.push_back({scales_[i].of(problem_.known_cost(candidate, i).value()), 0});
      }
    }
    return costs;
  }

  /// Probability that a process of 1 for eligible and -1 for other points is above 0.
  double eligible_chance(const Candidate& candidate) const {
    if (!eligibility_) return 1;
    const Prediction state = eligibility_->at(candidate);
    constexpr double sure = 1e-9;
    return std::erfc(-state.mean / (std::max(state.deviation, sure) * std::numbers::sqrt2)) / 2;
  }

  SearchProblem& problem_;
  std::vector<CostScale> scales_;
  std::vector<std::unique_ptr<Model>> models_;  ///< nullptr where the cost is known
  std::unique_ptr<Model> eligibility_;          ///< nullptr while all or none are eligible
  std::vector<Costs> best_;                     ///< costs of the eligible points, scaled
  Costs reference_;
  std::unique_ptr<HypervolumeFront> front_;
};

/// Eligible points that no other one dominates.
std::vector<Candidate> front_of(const std::vector<Tried>& tried) {
  std::vector<Candidate> front;
  for (const Tried& one : tried) {
    if (!one.eligible || !one.costs) continue;
    const bool beaten = std::ranges::any_of(tried, [&](const Tried& other) {
      return other.eligible && other.costs && dominates(*other.costs, *one.costs);
    });
    if (!beaten) front.push_back(one.candidate);
  }
  return front;
}

/// The candidates to compare, each once, in order of their numbers.
std::vector<Candidate> compared(SearchProblem& problem, const SearchOptions& options, const std::vector<Tried>& tried) {
  CandidateDraw draw(problem, options, tried);
  if (problem.space().size() <= all_compared) return draw.look(all_compared, 0);
  const std::int64_t from = std::int64_t(tried.size()) * drawn_ones % problem.space().size();
  std::vector<Candidate> drawn = draw.look(drawn_ones, from);
  std::set<Candidate> all(drawn.begin(), drawn.end()), known;
  for (const Tried& one : tried) known.insert(one.candidate);
  for (const Candidate& best : front_of(tried)) {
    for (Candidate& near : problem.space().neighbours(best)) {
      if (!known.contains(near) && problem.allows(near)) all.insert(std::move(near));
    }
  }
  return {all.begin(), all.end()};
}

}  // namespace

std::vector<Candidate> next_gaussian(SearchProblem& problem, const SearchOptions& options,
                                     const std::vector<Tried>& tried) {
  const auto left = options.points - std::int64_t(tried.size());
  if (left <= 0) return {};
  const std::int64_t begin = std::min(options.begin, options.points);
  if (std::int64_t(tried.size()) < begin) {
    return CandidateDraw(problem, options, tried).take(begin - std::int64_t(tried.size()));
  }
  std::vector<Candidate> candidates = compared(problem, options, tried);
  BatchChoice choice(problem, tried);
  std::vector<Candidate> batch;
  while (std::int64_t(batch.size()) < std::min(options.batch, left) && !candidates.empty()) {
    std::vector<std::pair<Merit, std::size_t>> merits;
    for (std::size_t i = 0; i < candidates.size(); ++i) merits.emplace_back(choice.merit(candidates[i]), i);
    std::ranges::sort(merits, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::set<std::size_t> gone;
    for (const auto& [merit, index] : merits) {
      gone.insert(index);
      if (!problem.can_run(candidates[index])) continue;
      batch.push_back(candidates[index]);
      choice.believe(candidates[index]);
      break;
    }
    std::vector<Candidate> rest;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!gone.contains(i)) rest.push_back(std::move(candidates[i]));
    }
    candidates = std::move(rest);
  }
  return batch;
}

}  // namespace podsim::studies::optimise
