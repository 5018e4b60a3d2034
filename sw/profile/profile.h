// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::sw {

/// One measured op of XProf's "HLO op stats".
struct ProfileOp {
  std::string category;  ///< "convolution fusion"
  std::string hlo_text;  ///< "%fusion.5 = f32[8]{0} fusion(...)", or less: XProf has ops without text
  std::string tf_op;
  std::int64_t occurrences = 0;
  double self_time_s = 0;         ///< average of one occurrence
  double total_self_time_s = 0;   ///< of all occurrences
  std::string bound_by;           ///< "HBM"; empty without its column
  std::optional<double> flops;    ///< of one occurrence as XLA counts them; nothing without its column
  std::optional<double> bytes;    ///< likewise, accessed
  base::SourceLocation location;  ///< of the row's HLO text
};

struct Profile {
  std::string file;
  std::vector<ProfileOp> ops;
};

/// Reads the export as CSV. Columns are found by the names in the first record, in any order; needed are "Category",
/// "HLO op" (or "HLO op text"), "#Occurrences" and one of "Avg. self time (us)", "Total self time (us)"; XLA's counts
/// follow from "Measured GFLOP/s" and "Measured Memory BW (GiB/s)", rates over the average self time. InputError with
/// every bad row at its place: fields that are missing or too many, and numbers that are none or negative.
Profile read_profile(const std::string& file, std::string_view text);

}  // namespace podsim::sw
