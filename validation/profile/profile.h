// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::validation::profile {

/// A measured op of XProf's "HLO op stats".
struct ProfileOp {
  std::string category;  ///< "convolution fusion"
  std::string hlo_text;  ///< "%fusion.5 = f32[8]{0} fusion(...)", truncated or empty: XProf has ops without text
  std::string tf_op;
  std::int64_t occurrences = 0;
  double self_time_s = 0;        ///< average of one occurrence
  double total_self_time_s = 0;  ///< sum over all occurrences
  std::string bound_by;          ///< "HBM"; empty if the column is missing
  std::optional<double> flops;   ///< XLA's count for one occurrence; std::nullopt if the column is missing
  std::optional<double>
      bytes;     ///< XLA's count of bytes accessed by one occurrence; std::nullopt if the column is missing
  int line = 0;  ///< line of the file in which the row begins; 0 in a trace
};

struct Profile {
  std::string file;
  std::vector<ProfileOp> ops;
  std::vector<std::string> measured_on = {};  ///< planes of a trace, "/device:TPU:0"; empty for a table
};

/// Reads a trace (trace_profile.h) or the export as CSV. Columns are found by the names in the first record, in any
/// order. Required are "Category", "HLO op" (or "HLO op text"), "#Occurrences" and one of "Avg. self time (us)" and
/// "Total self time (us)". XLA's counts follow from "Measured GFLOP/s" and "Measured Memory BW (GiB/s)", which are
/// rates over the average self time. Throws InputError with the location of every bad row: missing or extra fields, and
/// fields that are not numbers or are negative.
Profile read_profile(const std::string& file, std::string_view text);

}  // namespace podsim::validation::profile
