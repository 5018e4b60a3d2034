// SPDX-License-Identifier: Apache-2.0
// Part of validation/measured/published/published_steps.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/shell_word.h"
#include "base/text/text_table.h"
#include "validation/measured/published/published_steps.h"
#include "validation/measured/published/software_year.h"

namespace podsim::validation::measured::published {
namespace {

std::string command_line(const PublishedStep& step) {
  if (step.command.empty()) return "";
  std::string line = "podsim";
  for (const std::string& word : step.command) line += " " + base::text::shell_word(word);
  return line;
}

std::string milliseconds(double seconds) { return fmt::format("{:.2f} ms", seconds * 1e3); }

std::string published_text(const PublishedStep& step) {
  if (step.min_s == 0) return "-";
  return step.min_s == step.max_s ? milliseconds(step.min_s)
                                  : fmt::format("{:.0f} to {:.0f} ms", step.min_s * 1e3, step.max_s * 1e3);
}

std::string why_not(const SimulatedStep& step) {
  return step.published.reason.empty() ? step.problem : step.published.reason;
}

/// |error| of the steps that are compared, in ascending order.
std::vector<double> sizes_of_errors(std::span<const SimulatedStep> steps) {
  std::vector<double> errors;
  for (const SimulatedStep& step : steps) {
    if (step.step_s && !is_other_program(step)) errors.push_back(std::abs(error_of(step)));
  }
  std::ranges::sort(errors);
  return errors;
}

double middle(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// The mean error.
double bias_of(std::span<const SimulatedStep> steps) {
  double sum = 0;
  std::size_t count = 0;
  for (const SimulatedStep& step : steps) {
    if (!step.step_s || is_other_program(step)) continue;
    sum += error_of(step);
    ++count;
  }
  return count == 0 ? 0 : sum / double(count);
}

/// A line for the rows of each year, if there are several.
std::string by_year(const SimulatedSteps& steps) {
  using Align = base::text::TextTable::Align;
  constexpr double large = 0.12;
  std::map<int, std::vector<SimulatedStep>> years;
  for (const SimulatedStep& step : steps.steps) {
    if (step.step_s && !is_other_program(step)) years[software_year(step.published.source)].push_back(step);
  }
  if (years.size() < 2) return "";
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"software of", "steps", "median", "above 12 %", "bias"});
  for (const auto& [year, rows] : years) {
    const std::vector<double> errors = sizes_of_errors(rows);
    table.row({year == 0 ? "unknown" : fmt::to_string(year), fmt::to_string(errors.size()),
               base::text::percent(middle(errors)),
               fmt::to_string(std::ranges::count_if(errors, [](double error) { return error > large; })),
               base::text::signed_percent(bias_of(rows))});
  }
  return "\n" + table.text();
}

/// A row; `is_published` says whether it has a published time.
nlohmann::ordered_json row_json(const SimulatedStep& step, bool is_published) {
  const PublishedStep& row = step.published;
  nlohmann::ordered_json object = {
      {"network", row.network}, {"machine", "tpu-" + row.generation}, {"slice", row.slice},
      {"batch", row.batch},     {"partitioning", row.partitioning},   {"contains", row.contains}};
  if (is_published) {
    object["published_s"] = row.min_s;
    object["published_most_s"] = row.max_s;
  }
  object["simulated_s"] = step.step_s ? nlohmann::ordered_json(*step.step_s) : nlohmann::ordered_json();
  if (is_published) {
    object["error"] = step.step_s ? nlohmann::ordered_json(error_of(step)) : nlohmann::ordered_json();
    object["products_s"] = step.step_s ? nlohmann::ordered_json(step.products_s) : nlohmann::ordered_json();
  }
  object["command"] = command_line(row);
  object["not_simulated"] = step.step_s ? "" : why_not(step);
  object["software_year"] = software_year(row.source);
  return object;
}

}  // namespace

std::string steps_text(const SimulatedSteps& steps) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::right, Align::left, Align::left, Align::left, Align::left, Align::right,
                               Align::right, Align::right, Align::right, Align::left});
  table.row({"", "network", "machine", "slice", "batch", "published", "simulated", "error", "products",
             "the figure contains"});
  std::string commands, left_out;
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const SimulatedStep& step = steps.steps[i];
    const PublishedStep& row = step.published;
    table.row({fmt::to_string(i + 1), row.network, "tpu-" + row.generation, row.slice, row.batch, published_text(row),
               step.step_s ? milliseconds(*step.step_s) : "-",
               step.step_s ? base::text::signed_percent(error_of(step)) : "",
               step.step_s ? fmt::format("{:.0f} %", 100 * step.products_s / row.max_s) : "", row.contains});
    if (!row.command.empty()) commands += fmt::format("{:>3}  {}\n", i + 1, command_line(row));
    if (is_other_program(step)) {
      left_out += fmt::format("{:>3}  {} is not compared: faster than its products at the peak, {}\n", i + 1,
                              row.network, milliseconds(step.products_s));
    }
    if (!step.step_s) left_out += fmt::format("{:>3}  {} is not simulated: {}\n", i + 1, row.network, why_not(step));
  }
  const std::vector<double> errors = sizes_of_errors(steps.steps);
  std::string text = table.text();
  if (!errors.empty()) {
    text += fmt::format(
        "\n{} of {} steps are compared; error: median {}, largest {}, bias {}\n"
        "products: what the products of the program take at the peak, of the published time\n",
        errors.size(), steps.steps.size(), base::text::percent(middle(errors)), base::text::percent(errors.back()),
        base::text::signed_percent(bias_of(steps.steps)));
    text += by_year(steps);
  }
  if (!commands.empty()) text += "\n" + commands;
  return left_out.empty() ? text : text + "\n" + left_out;
}

std::string steps_json(const SimulatedSteps& steps) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array(), between = nlohmann::ordered_json::array();
  for (const SimulatedStep& step : steps.steps) rows.push_back(row_json(step, true));
  for (const SimulatedStep& step : steps.between) between.push_back(row_json(step, false));
  const std::vector<double> errors = sizes_of_errors(steps.steps);
  nlohmann::ordered_json object = {
      {"file", steps.file},
      {"steps", rows},
      {"simulated",
       std::ranges::count_if(steps.steps, [](const SimulatedStep& step) { return step.step_s.has_value(); })},
      {"compared", errors.size()},
      {"median_error", middle(errors)},
      {"largest_error", errors.empty() ? 0.0 : errors.back()},
      {"bias", bias_of(steps.steps)},
      {"wall_s", steps.wall_s}};
  if (!between.empty()) object["between"] = between;
  return base::text::json_text(object);
}

std::string steps_csv(const SimulatedSteps& steps) {
  std::string text =
      "network,machine,slice,batch,partitioning,contains,published_s,published_most_s,simulated_s,error,products_s,"
      "command,"
      "not_simulated,software_year\n";
  for (const SimulatedStep& step : steps.steps) {
    const PublishedStep& row = step.published;
    std::vector<std::string> cells = {row.network,
                                      "tpu-" + row.generation,
                                      row.slice,
                                      row.batch,
                                      row.partitioning,
                                      row.contains,
                                      fmt::format("{:.9g}", row.min_s),
                                      fmt::format("{:.9g}", row.max_s),
                                      step.step_s ? fmt::format("{:.9g}", *step.step_s) : "",
                                      step.step_s ? fmt::format("{:.6f}", error_of(step)) : "",
                                      step.step_s ? fmt::format("{:.9g}", step.products_s) : "",
                                      command_line(row),
                                      step.step_s ? "" : why_not(step),
                                      fmt::to_string(software_year(row.source))};
    for (std::string& cell : cells) cell = base::text::csv_field(cell);
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace podsim::validation::measured::published
