// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace podsim::sw {

/// Where values of a straight or logarithmic axis lie in a drawing.
///
/// linear:       place = from + (to - from) (value - low) / (high - low)
/// logarithmic:  the same of the logarithms
///
/// An axis that points up has from > to.
class ChartScale {
 public:
  /// low < high; a range that holds one value only is widened around it.
  static ChartScale linear(double low, double high, double from, double to);
  /// 0 < low < high, widened likewise; what is not positive is placed at `low`.
  static ChartScale logarithmic(double low, double high, double from, double to);

  double place(double value) const;
  /// The value at a place.
  double value_at(double place) const;
  /// Round values within the range, about `most` of them at most: 1, 2 or 5 times a power of ten; of a logarithmic
  /// range powers of ten, every second or third where there are many, with 2 and 5 between where there are few.
  std::vector<double> ticks(int most = 6) const;
  /// The same scale with its ends at ticks.
  ChartScale rounded(int most = 6) const;

  double low() const { return low_; }
  double high() const { return high_; }
  double from() const { return from_; }
  double to() const { return to_; }
  bool is_logarithmic() const { return logarithmic_; }

 private:
  ChartScale(double low, double high, double from, double to, bool logarithmic);

  double low_, high_, from_, to_;
  bool logarithmic_;
};

}  // namespace podsim::sw
