// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "sw/plans/ranked_plans.h"

namespace podsim::studies::search {

/// Costs of plans by formula, corrected by steps that have run. What the formula misses is taken as a sum of one number
/// for each class that is divided, and for each number of its parts, in values and in what is kept: the plans of a
/// search differ in few of them, and what one costs, such as laying out the parts of a weight, it costs in most. The
/// numbers are those of Bayesian linear regression (Bishop, Pattern Recognition and Machine Learning, 3.3): normal
/// priors around zero, and normal noise.
class LearnedCost {
 public:
  /// A step that has run took `step_s`.
  void add(const sw::plans::RankedPlan& plan, double step_s);
  /// A step does not run: it counts as twice the slowest that did.
  void add_refused(const sw::plans::RankedPlan& plan);

  /// Fits the numbers; at least one step has run.
  void fit();
  /// What a step is expected to take. By formula alone before the first fit().
  double expected_s(const sw::plans::RankedPlan& plan) const;

 private:
  using Feature = std::tuple<std::size_t, bool, long>;  ///< class, kept, parts that it is divided into; 0: any
  struct Sample {
    sw::plans::RankedPlan plan;
    double step_s = 0;  ///< 0: refused
  };

  static std::vector<Feature> features_of(const sw::plans::ShardingPlan& plan);

  std::vector<Sample> samples_;
  std::map<Feature, double> weights_;  ///< seconds
  double offset_ = 0;
};

}  // namespace podsim::studies::search
