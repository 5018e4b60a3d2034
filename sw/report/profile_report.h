// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/profile/profile_model.h"

/// What `podsim ops` prints and writes: measured against modelled, op by op, by category and over the profile.
namespace podsim::sw {

struct ProfileReport {
  std::string profile;  ///< file
  std::string machine;
  std::string slice;  ///< "8x4"; empty where no collective needs one
  std::vector<ComparedOp> ops;
  std::vector<std::string> warnings;
  double wall_s = 0;  ///< host time

  ProfileTotals totals() const;
  std::map<std::string, ProfileTotals> by_category() const;
  /// Rows that are not modelled, and the time of all their occurrences.
  std::size_t without_text() const;
  double without_text_s() const;
  /// Modelled ops by how much time they are wrong by, the worst first.
  std::vector<const ComparedOp*> worst() const;
};

/// Totals, a table by category and the worst ops.
std::string profile_text(const ProfileReport& report);
std::string profile_json(const ProfileReport& report);
/// A line per row of the profile.
std::string profile_csv(const ProfileReport& report);
/// Modelled over measured time, a dot per op with the area of its share of the time, both axes logarithmic.
std::string profile_svg(const ProfileReport& report);

}  // namespace podsim::sw
