// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validation/profile/profile_model.h"

/// The output of `podsim ops`: measured and modelled times, by op, by category and for the whole profile.
namespace podsim::report {

struct ProfileReport {
  std::string profile;                   ///< file
  std::vector<std::string> measured_on;  ///< planes of a trace; empty for a table
  std::string machine;
  std::string slice;  ///< "8x4"; empty if no collective needs one
  std::vector<validation::profile::ComparedOp> ops;
  double wall_s = 0;  ///< host time

  validation::profile::ProfileTotals totals() const;
  std::map<std::string, validation::profile::ProfileTotals> by_category() const;
  /// Modelled ops with products, by how these are computed (ComparedOp::products).
  std::map<std::string, validation::profile::ProfileTotals> by_products() const;
  /// Number of rows that are not modelled, for any reason, and the time of all their occurrences.
  std::size_t without_text() const;
  double without_text_s() const;
  /// Rows that are not modelled for one reason.
  struct NotModelled {
    std::string reason;
    std::int64_t rows = 0;
    double measured_s = 0;  ///< all occurrences of the rows
    std::string first;      ///< where the first is: "in line 3", of a trace its name
  };
  /// Modelled rows that were modelled by XLA's counts, and their measured time.
  validation::profile::ProfileTotals by_counts() const;
  /// Time of all collectives beyond their modelled transfer.
  double waiting_s() const;
  /// By reason, in the order of the first row.
  std::vector<NotModelled> not_modelled() const;
  /// Modelled ops by the absolute error of their time, largest first.
  std::vector<const validation::profile::ComparedOp*> worst() const;
};

/// Totals, a table by category and the worst ops.
std::string profile_text(const ProfileReport& report);
std::string profile_json(const ProfileReport& report);
/// CSV with a line for each row of the profile.
std::string profile_csv(const ProfileReport& report);
/// A chart of modelled over measured time, with both axes logarithmic. Each op is a dot whose area is its share of the
/// time.
std::string profile_svg(const ProfileReport& report);

}  // namespace podsim::report
