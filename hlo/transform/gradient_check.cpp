// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "hlo/eval/evaluator.h"

namespace podsim::hlo::transform {

namespace {

using Arguments = std::vector<std::vector<Literal>>;

void draw(Literal& literal, std::mt19937_64& random) {
  for (Literal& element : literal.elements) draw(element, random);
  for (double& value : literal.values) value = 2 * double(random() >> 11) * 0x1p-53 - 1;
  for (std::int64_t& value : literal.integers) value = 0;
}

/// The loss along a line through the arguments.
class Line {
 public:
  Line(const CheckedGradient& checked, const Arguments& arguments, std::int64_t parameter)
      : checked_(checked), arguments_(arguments), parameter_(std::size_t(parameter)) {
    std::mt19937_64 random(checked.seed * 1'000'003 + std::uint64_t(parameter));
    for (const std::vector<Literal>& of_device : arguments) {
      directions_.push_back(of_device[parameter_]);
      if (checked.is_global && directions_.size() > 1) {
        directions_.back() = directions_.front();
      } else {
        draw(directions_.back(), random);
      }
    }
  }

  double loss_at(double t) const {
    Arguments moved = arguments_;
    for (std::size_t device = 0; device < moved.size(); ++device) {
      std::vector<double>& values = moved[device][parameter_].values;
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += t * directions_[device].values[i];
    }
    double sum = 0;
    for (const Literal& loss : evaluate_on(*checked_.loss, moved, checked_.seed)) {
      sum += loss.values[0];
      if (checked_.is_global) break;
    }
    return sum;
  }

  /// The sum of the gradient's elements, each times that of the direction.
  double along(const std::vector<Literal>& results, std::size_t element) const {
    double sum = 0;
    for (std::size_t device = 0; device < results.size(); ++device) {
      const std::vector<double>&slope = results[device].elements[element].values,
            &direction = directions_[device].values;
      for (std::size_t i = 0; i < slope.size(); ++i) sum += slope[i] * direction[i];
      if (checked_.is_global) break;
    }
    return sum;
  }

  static std::vector<Literal> evaluate_on(const Module& module, const Arguments& arguments, std::uint64_t seed) {
    eval::EvaluationHost host;
    host.seed = seed;
    std::mt19937_64 random(seed);
    host.infeed = [&random](int, const Instruction& instruction) {
      Literal fed = make_zeros(instruction.shape);
      draw(fed, random);
      return fed;
    };
    return eval::evaluate_partitions(module, arguments, host);
  }

 private:
  const CheckedGradient& checked_;
  const Arguments& arguments_;
  std::size_t parameter_;
  std::vector<Literal> directions_;  ///< by device
};

/// The loss at steps of h and h / 2 to both sides.
struct Stencil {
  double h, here, left, right, near_left, near_right;

  Stencil(const Line& line, double step, double loss)
      : h(step),
        here(loss),
        left(line.loss_at(-step)),
        right(line.loss_at(step)),
        near_left(line.loss_at(-step / 2)),
        near_right(line.loss_at(step / 2)) {}

  double wide() const { return (right - left) / (2 * h); }
  double narrow() const { return (near_right - near_left) / h; }
  /// How much one-sided quotients may differ by rounding.
  double rounding() const {
    const double most = std::max({std::abs(left), std::abs(right), std::abs(here)});
    return 0x1p10 * std::numeric_limits<double>::epsilon() * most / h;
  }
  double allowed() const { return 2 * std::abs(wide() - narrow()) + rounding(); }
  /// True if `slope` agrees, and the quotients settle well enough to tell.
  bool agrees_with(double slope) const {
    const double settled = 0x1p-7 * std::max(std::abs(slope), std::abs(narrow())) + 2 * rounding();
    return std::abs(slope - narrow()) <= allowed() && allowed() <= settled;
  }
  bool is_kinked() const {
    const double bend = std::abs(right - 2 * here + left) / h;
    const double near_bend = std::abs(near_right - 2 * here + near_left) / (h / 2);
    return near_bend > 0.7 * bend && near_bend > 4 * rounding();
  }
};

}  // namespace

double DirectionalSlope::relative_difference() const {
  const double most = std::max(std::abs(by_gradient), std::abs(by_differences));
  return most == 0 ? 0 : std::abs(by_gradient - by_differences) / most;
}

std::vector<DirectionalSlope> check_gradients(const CheckedGradient& checked, const Arguments& arguments) {
  const std::vector<Literal> results = Line::evaluate_on(*checked.gradients, arguments, checked.seed);
  std::vector<DirectionalSlope> slopes;
  for (std::size_t k = 0; k < checked.parameters.size(); ++k) {
    const Line line(checked, arguments, checked.parameters[k]);
    DirectionalSlope& slope = slopes.emplace_back();
    slope.parameter = checked.parameters[k];
    slope.by_gradient = line.along(results, k);
    const double here = line.loss_at(0);
    for (const double h : {0x1p-16, 0x1p-20}) {
      const Stencil near(line, h, here);
      slope.by_differences = near.narrow();
      slope.allowed = near.allowed();
      slope.to_left = (here - near.near_left) / (h / 2);
      slope.to_right = (near.near_right - here) / (h / 2);
      if (!std::isfinite(slope.by_gradient) || !std::isfinite(slope.by_differences) || !std::isfinite(here)) {
        slope.verdict = Slope::not_finite;
        break;
      }
      const bool agrees = near.agrees_with(slope.by_gradient);
      slope.verdict = agrees ? Slope::agrees : near.is_kinked() ? Slope::is_kinked : Slope::differs;
      if (agrees) break;
    }
  }
  return slopes;
}

}  // namespace podsim::hlo::transform
