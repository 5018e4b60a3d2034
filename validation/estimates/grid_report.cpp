// SPDX-License-Identifier: Apache-2.0
// Part of validation/estimates/estimate_grid.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/units.h"
#include "validation/estimates/estimate_grid.h"

namespace podsim::validation::estimates {
namespace {

constexpr double allowed_error = 0.08, allowed_median = 0.02;

double median_error(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + std::ptrdiff_t(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return *middle;
}

template <class Error>
std::vector<double> errors_of(const std::vector<const EstimateCase*>& cases, Error error) {
  std::vector<double> errors;
  for (const EstimateCase* one : cases) errors.push_back(error(*one));
  return errors;
}

double largest_error(const std::vector<double>& errors) {
  double most = 0;
  for (const double error : errors) most = std::max(most, std::abs(error));
  return most;
}

std::vector<const EstimateCase*> all_cases(const EstimateGrid& grid) {
  std::vector<const EstimateCase*> cases;
  for (const EstimateCase& one : grid.cases) cases.push_back(&one);
  return cases;
}

std::string grid_row(const std::string& name, const std::vector<const EstimateCase*>& cases) {
  const auto estimates = errors_of(cases, [](const EstimateCase& one) { return one.error(); });
  const auto formulas = errors_of(cases, [](const EstimateCase& one) { return one.formula_error(); });
  return fmt::format("{:<34}{:>6}{:>11.2f} %{:>9.2f} %{:>11.1f} %{:>9.1f} %\n", name, cases.size(),
                     100 * median_error(estimates), 100 * largest_error(estimates), 100 * median_error(formulas),
                     100 * largest_error(formulas));
}

}  // namespace

std::string grid_text(const EstimateGrid& grid) {
  std::string text = fmt::format("{:<34}{:>6}{:>24}{:>24}\n{:<34}{:>6}{:>13}{:>11}{:>13}{:>11}\n", "", "", "estimate",
                                 "formula", "kind, algorithm", "cases", "median", "largest", "median", "largest");
  for (const sw::collectives::CollectiveKind kind : sw::collectives::collective_kinds) {
    for (const sw::collectives::Algorithm algorithm : sw::collectives::algorithms()) {
      std::vector<const EstimateCase*> cases;
      for (const EstimateCase& one : grid.cases) {
        if (one.kind == kind && one.algorithm == algorithm) cases.push_back(&one);
      }
      if (cases.empty()) continue;
      text += grid_row(fmt::format("{} {}", to_string(kind), to_string(algorithm)), cases);
    }
  }
  return text + grid_row("all", all_cases(grid)) + fmt::format("wall       {:.2f} s\n", grid.wall_s);
}

std::string grid_json(const EstimateGrid& grid) {
  const std::vector<const EstimateCase*> cases = all_cases(grid);
  const auto errors = errors_of(cases, [](const EstimateCase& one) { return one.error(); });
  nlohmann::ordered_json json{{"cases", cases.size()},
                              {"median_error", median_error(errors)},
                              {"largest_error", largest_error(errors)},
                              {"wall_s", grid.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

std::string grid_csv(const EstimateGrid& grid) {
  std::string text = "kind,algorithm,slice,groups,bytes,estimate_s,formula_s,simulated_s\n";
  for (const EstimateCase& one : grid.cases) {
    text += fmt::format("{},{},{},\"{}\",{},{:.9g},{:.9g},{:.9g}\n", to_string(one.kind), to_string(one.algorithm),
                        one.slice, one.groups, one.bytes, one.estimate_s, one.formula_s, one.simulated_s);
  }
  return text;
}

std::string problem_of(const EstimateGrid& grid) {
  const std::vector<const EstimateCase*> cases = all_cases(grid);
  const auto errors = errors_of(cases, [](const EstimateCase& one) { return one.error(); });
  if (median_error(errors) > allowed_median) {
    return fmt::format("the median error is {}", base::text::percent(median_error(errors)));
  }
  for (const EstimateCase* one : cases) {
    if (std::abs(one->error()) <= allowed_error) continue;
    return fmt::format("{} {} of {} B on {}, groups {}: {} estimated, {} simulated", to_string(one->kind),
                       to_string(one->algorithm), one->bytes, one->slice, one->groups,
                       base::to_string(base::Duration(one->estimate_s)),
                       base::to_string(base::Duration(one->simulated_s)));
  }
  return "";
}

}  // namespace podsim::validation::estimates
