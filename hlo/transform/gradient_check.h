// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"
#include "hlo/literal.h"

/// Gradients compared with central differences of the loss.
namespace podsim::hlo::transform {

/// A program with a loss, and one with its gradients, both in double precision (double_precision.h).
struct CheckedGradient {
  const Module* loss = nullptr;          ///< returns the loss
  const Module* gradients = nullptr;     ///< takes the same arguments; returns a tuple that begins with the gradients
  std::vector<std::int64_t> parameters;  ///< numbers of the parameters that these are of, real arrays
  /// True for the program of a whole machine, whose loss is that of every device; else it is the sum of the devices'.
  bool is_global = false;
  std::uint64_t seed = 0;  ///< of the directions, and of what the program draws or is fed
};

enum class Slope : std::uint8_t {
  agrees,      ///< with the difference quotient, within `allowed`
  is_kinked,   ///< the loss bends or jumps here: its slopes to both sides differ however small the step
  differs,     ///< the gradient is wrong, or the loss is not smooth on the scale of the step
  not_finite,  ///< a loss or a gradient is infinite or not a number
};

/// The derivative along a random direction of one parameter, of elements uniform in [-1, 1).
struct DirectionalSlope {
  std::int64_t parameter = 0;
  double by_gradient = 0, by_differences = 0;
  double allowed = 0;                ///< difference that the step and rounding explain
  double to_left = 0, to_right = 0;  ///< one-sided difference quotients
  Slope verdict = Slope::not_finite;

  double relative_difference() const;
};

/// Compares the gradients at arguments[device][parameter].
///
/// With D(h) the central difference quotient, the error of D(h/2) is a third of D(h) - D(h/2) in the terms of h^2, so
/// twice that difference is allowed, and 2^10 units in the last place of the losses over h for the rounding of their
/// sums; in all less than 1/128 of the slope, or the quotients have not settled and tell nothing. h is 2^-16 where that
/// agrees, about the cube root of the unit, at which both errors are least; else 2^-20, which steps over fewer bends. A
/// one-sided quotient differs from the other by h times the second derivative, which halves with h: where it does not,
/// the loss has a kink.
std::vector<DirectionalSlope> check_gradients(const CheckedGradient& checked,
                                              const std::vector<std::vector<Literal>>& arguments);

}  // namespace podsim::hlo::transform
