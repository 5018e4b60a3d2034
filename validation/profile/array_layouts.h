// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/profile/profile.h"

namespace podsim::validation::profile {

/// Layouts of the arrays of one type and size in two profiles. Dimensions of one element are left out of both.
struct LayoutRow {
  std::string array;          ///< "bf16[32,512,1024]"
  double share = 0;           ///< of the time of the first profile
  double agreement = 0;       ///< share of this row's time under layouts that the second profile has too
  std::string first, second;  ///< the layout with most time, "{2,1,0}" or "{2,1,0} 60 %"; second may have no such array
};

struct LayoutComparison {
  std::vector<LayoutRow> rows;  ///< the largest disagreement first, then what the second profile does not have
  double compared = 0;          ///< share of the first profile's time in arrays that both have
  double agreement = 0;         ///< share of that time under the same layouts
};

/// Compares the layouts of equal arrays in two profiles, such as a measured one and that of a run (ops.csv). The time
/// of an op counts for its operands and results in proportion to their bytes. If arrays of one size have several
/// layouts, those agree that both profiles have, to the smaller of their shares. Arrays of less than two dimensions are
/// left out.
LayoutComparison compare_layouts(const Profile& first, const Profile& second);

}  // namespace podsim::validation::profile
