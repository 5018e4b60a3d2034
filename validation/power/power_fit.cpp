// SPDX-License-Identifier: Apache-2.0
#include "validation/power/power_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace podsim::validation::power {
namespace {

constexpr std::size_t factor_count = 3;
using Vector = std::array<double, factor_count>;

Vector scaled_terms(const PowerTerms& terms) { return {terms.die, terms.units, terms.host}; }

bool shares_steps(const SimulatedPower& row, const SimulatedPower& other) {
  return row.published.figure == other.published.figure && row.published.commands == other.published.commands;
}

/// Solves a x = b by elimination; an unknown without a pivot keeps 1.
PowerFactors solve(std::array<Vector, factor_count> a, Vector b) {
  PowerFactors x = as_stated;
  std::array<bool, factor_count> known{};
  for (std::size_t column = 0; column < factor_count; ++column) {
    if (!(std::abs(a[column][column]) > 1e-12)) continue;
    known[column] = true;
    for (std::size_t row = 0; row < factor_count; ++row) {
      if (row == column) continue;
      const double factor = a[row][column] / a[column][column];
      for (std::size_t i = 0; i < factor_count; ++i) a[row][i] -= factor * a[column][i];
      b[row] -= factor * b[column];
    }
  }
  for (std::size_t i = 0; i < factor_count; ++i) {
    if (known[i]) x[i] = b[i] / a[i][i];
  }
  return x;
}

}  // namespace

double watts(const PowerTerms& terms, const PowerFactors& factors) {
  return factors[0] * terms.die + factors[1] * terms.units + factors[2] * terms.host + terms.others;
}

PowerTerms terms_of(const SimulatedPower& row, const PowerFactors& factors) {
  const auto drawn = [&](const PowerTerms& terms) { return watts(terms, factors); };
  switch (row.published.figure) {
    case PowerOf::least:
      return *std::ranges::min_element(row.steps, {}, drawn);
    case PowerOf::most:
      return *std::ranges::max_element(row.steps, {}, drawn);
    default:
      break;
  }
  PowerTerms mean;
  const auto steps = double(row.steps.size());
  for (const PowerTerms& terms : row.steps) {
    mean.die += terms.die / steps;
    mean.units += terms.units / steps;
    mean.host += terms.host / steps;
    mean.others += terms.others / steps;
  }
  return mean;
}

PowerFactors fit_power(const std::vector<SimulatedPower>& rows, std::size_t left_out) {
  std::array<Vector, factor_count> normal{};
  Vector right{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].steps.empty() || (left_out < rows.size() && shares_steps(rows[i], rows[left_out]))) continue;
    const PowerTerms terms = terms_of(rows[i]);
    const double published = rows[i].published.watts;
    const Vector of_row = scaled_terms(terms);
    for (std::size_t row = 0; row < factor_count; ++row) {
      for (std::size_t column = 0; column < factor_count; ++column) {
        normal[row][column] += of_row[row] * of_row[column] / (published * published);
      }
      right[row] += of_row[row] * (published - terms.others) / (published * published);
    }
  }
  return solve(normal, right);
}

}  // namespace podsim::validation::power
