// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "studies/optimise/search_space.h"

namespace podsim::studies::optimise {

/// Parameters of a Gaussian process: how far a dimension's values tell of each other, and noise.
struct ProcessParameters {
  std::vector<double> lengths;  ///< one per dimension, in distances of Dimension: above 0
  double nugget = 1e-8;         ///< variance that every point has alone, as a share of the process's
};

/// Distribution of the process at a candidate.
struct Prediction {
  double mean = 0, deviation = 0;
};

/// A Gaussian process through values at candidates: ordinary kriging (Rasmussen and Williams, Gaussian Processes for
/// Machine Learning, 2006, equations 2.25, 2.26 and 2.42) with an unknown constant mean and the Matern covariance 5/2
///
///   k = (1 + a + a^2 / 3) exp(-a),   a = sqrt(5 sum_d (distance_d / length_d)^2)
///
/// in which the process's variance is the one that makes the values most likely.
class GaussianProcess {
 public:
  /// At least one candidate, with one value each. `space` must outlive the process.
  GaussianProcess(const SearchSpace& space, std::vector<Candidate> candidates, std::vector<double> values,
                  ProcessParameters parameters);

  Prediction at(const Candidate& candidate) const;
  /// Logarithm of the values' likelihood, less a constant.
  double log_likelihood() const;
  const ProcessParameters& parameters() const { return parameters_; }

 private:
  double covariance(const Candidate& one, const Candidate& other) const;

  const SearchSpace& space_;
  std::vector<Candidate> candidates_;
  ProcessParameters parameters_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd weights_, of_ones_;  ///< inverse covariance times residuals, and times ones
  double mean_ = 0, variance_ = 0, sum_of_ones_ = 0;
};

/// The parameters under which the values are most likely, by rounds over the dimensions with seven lengths from 0.1 to
/// 6.4 each, and three nuggets. Each length is a priori log-normal around 1 with a deviation of 1.5, which only matters
/// where few values say little.
ProcessParameters likely_parameters(const SearchSpace& space, const std::vector<Candidate>& candidates,
                                    const std::vector<double>& values);

}  // namespace podsim::studies::optimise
