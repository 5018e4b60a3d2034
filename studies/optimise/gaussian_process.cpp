// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace podsim::studies::optimise {
namespace {

constexpr double least_nugget = 1e-8, least_variance = 1e-24;

double log_prior(const ProcessParameters& parameters) {
  constexpr double deviation = 1.5;
  double sum = 0;
  for (const double length : parameters.lengths) sum -= std::pow(std::log(length) / deviation, 2) / 2;
  return sum;
}

}  // namespace

GaussianProcess::GaussianProcess(const SearchSpace& space, std::vector<Candidate> candidates,
                                 std::vector<double> values, ProcessParameters parameters)
    : space_(space), candidates_(std::move(candidates)), parameters_(std::move(parameters)) {
  const auto count = Eigen::Index(candidates_.size());
  Eigen::MatrixXd covariances(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      covariances(i, j) = covariances(j, i) = covariance(candidates_[std::size_t(i)], candidates_[std::size_t(j)]);
    }
    covariances(i, i) += std::max(parameters_.nugget, least_nugget);
  }
  factor_.compute(covariances);
  const Eigen::VectorXd wanted = Eigen::Map<const Eigen::VectorXd>(values.data(), count);
  of_ones_ = factor_.solve(Eigen::VectorXd::Ones(count));
  sum_of_ones_ = of_ones_.sum();
  mean_ = of_ones_.dot(wanted) / sum_of_ones_;
  const Eigen::VectorXd residuals = wanted.array() - mean_;
  weights_ = factor_.solve(residuals);
  variance_ = std::max(residuals.dot(weights_) / double(count), least_variance);
}

double GaussianProcess::covariance(const Candidate& one, const Candidate& other) const {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double way = space_.dimensions()[i].distance(one[i], other[i]) / parameters_.lengths[i];
    sum += way * way;
  }
  const double a = std::sqrt(5 * sum);
  return (1 + a + a * a / 3) * std::exp(-a);
}

Prediction GaussianProcess::at(const Candidate& candidate) const {
  Eigen::VectorXd near(Eigen::Index(candidates_.size()));
  for (Eigen::Index i = 0; i < near.size(); ++i) near(i) = covariance(candidate, candidates_[std::size_t(i)]);
  const double explained = factor_.matrixL().solve(near).squaredNorm();
  const double of_mean = 1 - of_ones_.dot(near);  // the part of the unknown mean that no value explains
  const double share = 1 - explained + of_mean * of_mean / sum_of_ones_;
  return {mean_ + near.dot(weights_), std::sqrt(variance_ * std::max(share, 0.0))};
}

double GaussianProcess::log_likelihood() const {
  const double log_determinant = 2 * factor_.matrixLLT().diagonal().array().log().sum();
  return -(double(candidates_.size()) * std::log(variance_) + log_determinant) / 2;
}

ProcessParameters likely_parameters(const SearchSpace& space, const std::vector<Candidate>& candidates,
                                    const std::vector<double>& values) {
  constexpr int rounds = 3, lengths = 7;
  ProcessParameters best{std::vector<double>(space.dimensions().size(), 0.8), least_nugget};
  double most = -std::numeric_limits<double>::infinity();
  const auto consider = [&](const ProcessParameters& parameters) {
    const double likelihood =
        GaussianProcess(space, candidates, values, parameters).log_likelihood() + log_prior(parameters);
    if (!(likelihood > most)) return;
    most = likelihood;
    best = parameters;
  };
  consider(best);
  for (int round = 0; round < rounds; ++round) {
    const ProcessParameters before = best;
    for (std::size_t i = 0; i < best.lengths.size(); ++i) {
      if (space.dimensions()[i].values < 2) continue;
      ProcessParameters tried = best;
      for (int step = 0; step < lengths; ++step) {
        tried.lengths[i] = 0.1 * double(1 << step);
        consider(tried);
      }
    }
    ProcessParameters tried = best;
    for (const double nugget : {least_nugget, 1e-4, 1e-2}) {
      tried.nugget = nugget;
      consider(tried);
    }
    if (best.lengths == before.lengths && best.nugget == before.nugget) break;
  }
  return best;
}

}  // namespace podsim::studies::optimise
