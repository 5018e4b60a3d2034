// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/scaling_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "validation/measured/published/row_words.h"

namespace podsim::validation::measured::published {
namespace {

constexpr std::int64_t max_chips = 2048;

bool same_model(const PublishedStep& a, const PublishedStep& b) {
  return a.network == b.network && a.generation == b.generation;
}

std::int64_t samples_of(const PublishedStep& row) { return leading_number(row.batch).value_or(0); }

bool is_data_parallel(const PublishedStep& row) {
  return row.partitioning.starts_with("data parallel") && row.partitioning.find("spatial") == std::string::npos;
}

/// The rows of the model of `row` with commands, in order of chips, one for each number of them: the largest batch.
std::vector<PublishedStep> rows_of(const std::vector<PublishedStep>& rows, const PublishedStep& row) {
  std::vector<PublishedStep> same;
  for (const PublishedStep& other : rows) {
    if (same_model(other, row) && !other.command.empty()) same.push_back(other);
  }
  std::ranges::stable_sort(same, [](const PublishedStep& a, const PublishedStep& b) {
    return a.chips != b.chips ? a.chips < b.chips : samples_of(a) > samples_of(b);
  });
  const auto equal = std::ranges::unique(same, {}, &PublishedStep::chips);
  same.erase(equal.begin(), equal.end());
  return same;
}

/// `row` on other chips, with its samples per core, but no more than `most` samples in all.
PublishedStep row_on(const PublishedStep& row, std::int64_t chips, std::int64_t most) {
  PublishedStep other = row;
  other.chips = chips;
  const int exponent = int(std::bit_width(std::uint64_t(chips))) - 1;
  other.slice = fmt::format("{}x{}", 1 << ((exponent + 1) / 2), 1 << (exponent / 2));
  if (const std::int64_t samples = samples_of(row); samples > 0) {
    const std::int64_t as_many = std::max<std::int64_t>(samples * chips / row.chips, 1);
    other.batch = fmt::to_string(most > 0 ? std::min(as_many, most) : as_many);
  }
  other.min_s = other.max_s = 0;
  other.command.clear();
  choose_command(other);
  return other;
}

}  // namespace

std::vector<PublishedStep> steps_between(const std::vector<PublishedStep>& rows) {
  std::vector<PublishedStep> between;
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    if (std::any_of(rows.begin(), row, [&](const PublishedStep& earlier) { return same_model(earlier, *row); }))
      continue;
    const std::vector<PublishedStep> same = rows_of(rows, *row);
    for (std::size_t i = 0; i + 1 < same.size(); ++i) {
      for (std::uint64_t chips = std::bit_ceil(std::uint64_t(same[i].chips) + 1);
           std::int64_t(chips) < same[i + 1].chips; chips *= 2) {
        between.push_back(row_on(same[i], std::int64_t(chips), samples_of(same[i + 1])));
      }
    }
    if (same.size() != 1 || !is_data_parallel(same[0]) || !std::has_single_bit(std::uint64_t(same[0].chips))) continue;
    if (same[0].chips > 1) between.push_back(row_on(same[0], same[0].chips / 2, 0));
    if (2 * same[0].chips <= max_chips) between.push_back(row_on(same[0], 2 * same[0].chips, 0));
  }
  std::erase_if(between, [](const PublishedStep& row) { return row.command.empty(); });
  return between;
}

std::vector<ScalingLine> scaling_lines(const SimulatedSteps& steps) {
  std::vector<ScalingLine> lines;
  const auto add = [&](const SimulatedStep& step, bool is_published) {
    auto line = std::ranges::find_if(lines, [&](const ScalingLine& other) {
      return other.network == step.published.network && other.generation == step.published.generation;
    });
    if (line == lines.end()) {
      lines.push_back({.network = step.published.network, .generation = step.published.generation});
      line = lines.end() - 1;
    }
    if (is_published) line->published.push_back(step);
    if (step.step_s) line->line.push_back(step);
  };
  for (const SimulatedStep& step : steps.steps) add(step, true);
  for (const SimulatedStep& step : steps.between) add(step, false);
  const auto chips = [](const SimulatedStep& step) { return step.published.chips; };
  for (ScalingLine& line : lines) {
    std::ranges::stable_sort(line.published, {}, chips);
    std::ranges::stable_sort(line.line, [](const SimulatedStep& a, const SimulatedStep& b) {
      if (a.published.chips != b.published.chips) return a.published.chips < b.published.chips;
      return samples_of(a.published) > samples_of(b.published);
    });
    const auto equal = std::ranges::unique(line.line, {}, chips);
    line.line.erase(equal.begin(), equal.end());
  }
  return lines;
}

}  // namespace podsim::validation::measured::published
