// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Measured and modelled times, by class, and how well they agree.
namespace podsim::validation::measured {

/// A measured figure of silicon, a time or a ratio of times, with the model's and that of a roofline: for each op the
/// longer of its FLOPs at the matrix units' peak and its bytes at the HBM's rate, and 0.4 us.
struct Point {
  std::string name;
  double measured = 0;  ///< a time in seconds
  std::optional<double> modelled = {};
  /// The same without the host's work for each step, where the model adds that.
  std::optional<double> core_alone = {};
  double roofline = 0;
  std::string reason = {};  ///< why it is not modelled
  double weight = 1;        ///< in a fit (leave_out.h): the measured time of all occurrences of an op
};

/// Points of one kind and machine.
struct PointClass {
  std::string name;     ///< "mobile networks"
  std::string machine;  ///< "tpu-v3"; empty for a ratio of machines
  std::string file;     ///< "mbconv_inference.csv"
  std::vector<Point> points;
};

/// Agreement of the modelled points of a class: errors are |modelled / measured - 1|.
struct Agreement {
  std::size_t points = 0;
  double median = 0, mean = 0, percentile_90 = 0;
  double bias = 0;            ///< mean of modelled / measured - 1
  std::optional<double> tau;  ///< Kendall's rank correlation; std::nullopt below three points
};

Agreement agreement(const PointClass& measured);
/// That of Point::core_alone; std::nullopt if no point has it.
std::optional<Agreement> core_agreement(const PointClass& measured);
Agreement roofline_agreement(const PointClass& measured);

/// Kendall's tau-b of two lists of equal length, in O(n log n) (Knight 1966); 0 if one list is constant.
double kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace podsim::validation::measured
