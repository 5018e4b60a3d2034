// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/step_categories.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace podsim::validation::profile {
namespace {

std::string kind_of(const std::string& category) {
  static const std::map<std::string, std::string, std::less<>> kinds = {
      {"convolution", "convolution fusion"}, {"output fusion", "convolution fusion"},
      {"scatter", "custom fusion"},          {"scatter fusion", "custom fusion"},
      {"gather", "gather fusion"},           {"copy", "data formatting"},
      {"reshape", "data formatting"},        {"transpose", "data formatting"},
  };
  const auto found = kinds.find(category);
  return found == kinds.end() ? category : found->second;
}

std::int64_t steps_of(const Profile& profile) {
  std::map<std::int64_t, double> time;  // by occurrences
  for (const ProfileOp& op : profile.ops) time[op.occurrences] += op.total_self_time_s;
  std::int64_t steps = 0;
  double most = 0;
  for (const auto& [occurrences, sum] : time) {
    if (sum > most) std::tie(steps, most) = std::pair(occurrences, sum);
  }
  return steps;
}

}  // namespace

StepTimes step_times(const Profile& profile) {
  StepTimes result;
  result.steps = steps_of(profile);
  std::map<std::string, double> times;
  double rare = 0, all = 0;
  for (const ProfileOp& op : profile.ops) {
    all += op.total_self_time_s;
    if (2 * op.occurrences < result.steps) {
      rare += op.total_self_time_s;
      continue;
    }
    const double each = std::max(1.0, std::round(double(op.occurrences) / double(result.steps)));
    times[kind_of(op.category)] += each * op.self_time_s;
  }
  for (const auto& [category, time] : times) {
    result.categories.push_back({category, time});
    result.time_s += time;
  }
  std::ranges::stable_sort(result.categories, std::greater(), &CategoryTime::time_s);
  result.left_out = all > 0 ? rare / all : 0;
  return result;
}

std::vector<CategoryRow> categories_of(const StepTimes& first, const StepTimes& second) {
  std::vector<CategoryRow> rows;
  for (const CategoryTime& time : first.categories) rows.push_back({time.category, time.time_s, 0});
  for (const CategoryTime& time : second.categories) {
    const auto found = std::ranges::find(rows, time.category, &CategoryRow::category);
    if (found == rows.end()) {
      rows.push_back({time.category, 0, time.time_s});
    } else {
      found->second_s = time.time_s;
    }
  }
  return rows;
}

}  // namespace podsim::validation::profile
