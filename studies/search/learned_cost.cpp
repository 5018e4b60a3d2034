// SPDX-License-Identifier: Apache-2.0
#include "studies/search/learned_cost.h"

#include <Eigen/Dense>
#include <algorithm>

namespace podsim::studies::search {

void LearnedCost::add(const sw::plans::RankedPlan& plan, double step_s) { samples_.push_back({plan, step_s}); }

void LearnedCost::add_refused(const sw::plans::RankedPlan& plan) { samples_.push_back({plan, 0}); }

std::vector<LearnedCost::Feature> LearnedCost::features_of(const sw::plans::ShardingPlan& plan) {
  std::vector<Feature> features;
  for (const bool kept : {false, true}) {
    const std::vector<sw::plans::AxisSet>& sets = kept ? plan.kept : plan.values;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (sets[i] == 0) continue;
      features.emplace_back(i, kept, 0);
      features.emplace_back(i, kept, long(plan.size(sets[i])));
    }
  }
  return features;
}

void LearnedCost::fit() {
  constexpr double noise_over_prior = 0.05;  // of variances
  double slowest = 0;
  for (const Sample& sample : samples_) slowest = std::max(slowest, sample.step_s);
  weights_.clear();
  for (const Sample& sample : samples_) {
    for (const Feature& feature : features_of(sample.plan.plan)) weights_.emplace(feature, 0);
  }
  std::map<Feature, Eigen::Index> columns;
  for (const auto& [feature, weight] : weights_) columns.emplace(feature, Eigen::Index(columns.size()));
  const auto rows = Eigen::Index(samples_.size()), width = Eigen::Index(columns.size()) + 1;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows, width);
  Eigen::VectorXd missed(rows);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const Sample& sample = samples_[std::size_t(row)];
    missed(row) = (sample.step_s > 0 ? sample.step_s : 2 * slowest) - sample.plan.cost.total_s();
    matrix(row, width - 1) = 1;
    for (const Feature& feature : features_of(sample.plan.plan)) matrix(row, columns.at(feature)) = 1;
  }
  Eigen::VectorXd prior = Eigen::VectorXd::Constant(width, noise_over_prior);
  prior(width - 1) = 1e-9;  // what all plans have in common is not small
  const Eigen::MatrixXd precision = matrix.transpose() * matrix + Eigen::MatrixXd(prior.asDiagonal());
  const Eigen::VectorXd fitted = precision.ldlt().solve(matrix.transpose() * missed);
  for (const auto& [feature, column] : columns) weights_[feature] = fitted(column);
  offset_ = fitted(width - 1);
}

double LearnedCost::expected_s(const sw::plans::RankedPlan& plan) const {
  double seconds = plan.cost.total_s() + offset_;
  for (const Feature& feature : features_of(plan.plan)) {
    if (const auto at = weights_.find(feature); at != weights_.end()) seconds += at->second;
  }
  return seconds;
}

}  // namespace podsim::studies::search
