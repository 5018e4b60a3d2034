// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/profile/profile.h"

namespace podsim::validation::profile {

/// Time of a category of ops in a step. Categories of one kind of work have one name: products are "convolution fusion"
/// whether they are fused or not, scatters "custom fusion", gathers "gather fusion", copies and reshapes "data
/// formatting".
struct CategoryTime {
  std::string category;
  double time_s = 0;
};

struct StepTimes {
  std::int64_t steps = 0;                ///< the number of occurrences that ops with most of the time have
  std::vector<CategoryTime> categories;  ///< the longest first
  double time_s = 0;                     ///< of all of them
  double left_out = 0;                   ///< share of the profile's time in ops that less than half of the steps have
};

/// The times of a step's ops. An op counts with its average time, once for every time that it occurs in a step, since
/// profilers miss some occurrences. Ops that occur in less than half of the steps, such as those of an evaluation, are
/// left out.
StepTimes step_times(const Profile& profile);

/// A category in two profiles.
struct CategoryRow {
  std::string category;
  double first_s = 0, second_s = 0;
};
/// Categories that either has, the longest of the first profile first.
std::vector<CategoryRow> categories_of(const StepTimes& first, const StepTimes& second);

}  // namespace podsim::validation::profile
