// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "validation/power/published_power.h"

namespace podsim::validation::power {

/// Watts of a chip in a step by what a factor scales. The factors are what is not published: how much each mm2
/// draws always, what a unit takes over its arithmetic, and the share of hosts.
struct PowerTerms {
  double die = 0;    ///< leakage and clock
  double units = 0;  ///< events of MXU, vector, cross-lane and scalar unit
  double host = 0;
  double others = 0;  ///< HBM, links, VMEM, wires: published or derived
};
using PowerFactors = std::array<double, 3>;  ///< of die, units and host; 1 as the machine file has them
inline constexpr PowerFactors as_stated{1, 1, 1};

double watts(const PowerTerms& terms, const PowerFactors& factors = as_stated);

/// A published figure and the steps that stand for it.
struct SimulatedPower {
  PublishedPower published;
  std::vector<PowerTerms> steps;           ///< of the commands that were simulated
  std::vector<std::string> problems = {};  ///< of the others
};

/// Terms of the figure: of the step that draws least or most, or the mean of all. There is at least one step.
PowerTerms terms_of(const SimulatedPower& row, const PowerFactors& factors = as_stated);

/// Factors with the least sum of squares of relative errors over rows with steps, without row `left_out` and those of
/// the same figure and steps; those that the rows do not tell apart stay 1.
PowerFactors fit_power(const std::vector<SimulatedPower>& rows, std::size_t left_out);

/// A line for each figure: published, the model's, its error, and the error if the factors are fitted to all the other
/// rows; then the factors fitted to all.
std::string power_text(const std::vector<SimulatedPower>& rows);
std::string power_json(const std::vector<SimulatedPower>& rows);

}  // namespace podsim::validation::power
