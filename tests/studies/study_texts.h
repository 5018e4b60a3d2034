// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "studies/plan/study.h"

/// Studies for tests: texts and their errors.
namespace podsim::studies {

/// A study of resnet50 on 4x4 with `axes`, and `top` above its first table.
inline std::string resnet_study(const std::string& axes, const std::string& top = "") {
  return "metrics = [\"step_time_s\"]\n" + top + "\n[base]\nworkload = \"resnet50\"\nslice = \"4x4\"\n\n" + axes;
}

inline plan::Study study_of(const std::string& text) { return plan::parse_study("s.toml", text); }

inline std::vector<plan::StudyPoint> points_of_text(const std::string& text) { return plan::points_of(study_of(text)); }

/// Texts of an axis at the points.
inline std::vector<std::string> texts(const std::vector<plan::StudyPoint>& points, const std::string& key) {
  std::vector<std::string> result;
  for (const plan::StudyPoint& point : points) {
    for (const auto* values : {&point.axes, &point.derived}) {
      const auto value = std::ranges::find(*values, key, &plan::StudyValue::key);
      if (value != values->end()) result.push_back(value->text);
    }
  }
  return result;
}

inline std::vector<double> numbers(const std::vector<plan::StudyPoint>& points, const std::string& key) {
  std::vector<double> result;
  for (const plan::StudyPoint& point : points) {
    for (const auto* values : {&point.axes, &point.derived}) {
      const auto value = std::ranges::find(*values, key, &plan::StudyValue::key);
      if (value != values->end()) result.push_back(value->number.value());
    }
  }
  return result;
}

/// The errors in a text, as the program prints them; "" if there are none.
inline std::string said_of(const std::string& text) {
  try {
    points_of_text(text);
    return "";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

}  // namespace podsim::studies
