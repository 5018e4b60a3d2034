// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/axes_without_effect.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/key_levels.h"

namespace podsim::studies::plan {
namespace {

/// Whether some point may have this value of a flag.
bool has(const Study& study, std::string_view key, std::string_view text) {
  const auto is = [&](const StudyValue& value) { return value.key == key && value.text == text; };
  return std::ranges::any_of(study.base, is) || std::ranges::any_of(study.axes, [&](const StudyAxis& axis) {
           return axis.key == key &&
                  std::ranges::any_of(axis.values, [&](const StudyValue& v) { return v.text == text; });
         });
}

/// Whether some point may have a value of a flag with this text in it.
bool has_part(const Study& study, std::string_view key, std::string_view text) {
  const auto is = [&](const StudyValue& value) {
    return value.key == key && value.text.find(text) != std::string::npos;
  };
  return std::ranges::any_of(study.base, is) || std::ranges::any_of(study.axes, [&](const StudyAxis& axis) {
           return axis.key == key && std::ranges::any_of(axis.values, [&](const StudyValue& v) {
                    return v.text.find(text) != std::string::npos;
                  });
         });
}

/// Whether some point may have a value of a flag.
bool has_any(const Study& study, std::string_view key) {
  return std::ranges::any_of(study.base, [&](const StudyValue& value) { return value.key == key; }) ||
         std::ranges::any_of(study.axes, [&](const StudyAxis& axis) { return axis.key == key; });
}

std::vector<base::parameters::KeyLevel> simulated_levels(const Study& study) {
  using enum base::parameters::KeyLevel;
  std::vector<base::parameters::KeyLevel> levels = {collectives};
  const bool trains = study.command == "train";
  if (study.command == "run" || trains) levels.push_back(ops);
  if (trains) levels.push_back(starts);
  if (has(study, "memory", "bank")) levels.push_back(banks);
  if (has(study, "detail", "chip")) levels.insert(levels.end(), {banks, chip});
  if (has(study, "network", "packet")) levels.push_back(packets);
  if (has_part(study, "loop", "checkpoint=") || has_any(study, "checkpoint") || has(study, "restore", "on")) {
    levels.push_back(checkpoints);
  }
  const bool loops = trains || has_any(study, "loop");
  if (loops) levels.push_back(jobs);
  if (has(study, "input", "on") || (loops && !has_any(study, "input"))) levels.push_back(inputs);
  return levels;
}

}  // namespace

std::vector<std::string> axes_without_effect(const Study& study) {
  const std::vector<base::parameters::KeyLevel> levels = simulated_levels(study);
  std::vector<std::string> warnings;
  const auto look_at = [&](const std::string& key, const char* where) {
    const std::string elsewhere = sw::acts_elsewhere(key, levels);
    if (elsewhere.empty()) return;
    warnings.push_back(fmt::format("{}{} changes nothing in this study; {}", where, key, elsewhere));
  };
  for (const StudyAxis& axis : study.axes) look_at(axis.key, "the axis ");
  for (const StudyValue& value : study.base) look_at(value.key, "");
  return warnings;
}

}  // namespace podsim::studies::plan
