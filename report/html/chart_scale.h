// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace podsim::report::html {

/// Maps values of a linear or logarithmic axis to positions in a drawing.
///
/// linear:       position = from + (to - from) (value - low) / (high - low)
/// logarithmic:  the same with the logarithms of value, low and high
///
/// An axis that points up has from > to.
class ChartScale {
 public:
  /// Requires low < high; a range of a single value is widened around it.
  static ChartScale linear(double low, double high, double from, double to);
  /// Requires 0 < low < high; a range of a single value is widened around it. Values that are not positive are placed
  /// at `low`.
  static ChartScale logarithmic(double low, double high, double from, double to);

  double place(double value) const;
  /// The value at a position.
  double value_at(double place) const;
  /// Round values within the range, about `most` or fewer. For a linear range, multiples of 1, 2 or 5 times a power of
  /// ten. For a logarithmic one, powers of ten; only every second or third if there are many, and also 2 and 5 times
  /// them if there are few.
  std::vector<double> ticks(int most = 6) const;
  /// This scale with its ends moved outward to ticks (to powers of ten if it is logarithmic).
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

}  // namespace podsim::report::html
