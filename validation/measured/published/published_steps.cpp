// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/published_steps.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/csv_rows.h"
#include "base/diagnostic.h"

namespace podsim::validation::measured::published {
namespace {

constexpr std::string_view bracket = " to ";

std::optional<double> time_above_zero(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number <= 0) return {};
  return number;
}

/// Reads "130.9" or "160 to 178", in milliseconds.
void read_times(PublishedStep& step, const base::CsvRow& row) {
  const std::string_view text = row.text("step_ms");
  const std::size_t middle = text.find(bracket);
  const std::optional<double> least = time_above_zero(text.substr(0, middle));
  const std::optional<double> most =
      middle == std::string_view::npos ? least : time_above_zero(text.substr(middle + bracket.size()));
  if (!least || !most || *most < *least) {
    throw base::InputError(
        base::Diagnostic{.message = fmt::format("'{}' is neither a time in milliseconds nor a bracket", text),
                         .location = row.location("step_ms"),
                         .hint = "130.9, or 160 to 178"});
  }
  step.min_s = *least / 1e3;
  step.max_s = *most / 1e3;
}

}  // namespace

std::vector<PublishedStep> published_steps(const std::string& file, std::string_view text) {
  std::vector<PublishedStep> steps;
  base::read_csv_rows(file, text, "workload", [&](const base::CsvRow& row) {
    PublishedStep step{.network = row.text("workload"),
                       .generation = row.text("generation"),
                       .slice = row.text("topology"),
                       .chips = std::int64_t(row.positive("chips")),
                       .batch = row.text("global_batch"),
                       .partitioning = row.text("partitioning"),
                       .contains = row.text("what"),
                       .source = row.has("source") ? row.text("source") : ""};
    step.slice = step.slice.substr(0, step.slice.find(' '));  // "8x4 assumed"
    read_times(step, row);
    choose_command(step);
    steps.push_back(std::move(step));
  });
  return steps;
}

bool is_other_program(const SimulatedStep& step) { return step.step_s && step.products_s > step.published.max_s; }

double error_of(const SimulatedStep& step) {
  if (!step.step_s) return 0;
  if (*step.step_s < step.published.min_s) return *step.step_s / step.published.min_s - 1;
  if (*step.step_s > step.published.max_s) return *step.step_s / step.published.max_s - 1;
  return 0;
}

}  // namespace podsim::validation::measured::published
