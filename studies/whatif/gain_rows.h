// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "studies/whatif/gains.h"

namespace podsim::studies::whatif {

/// The gains of one subject; null where it has none. They point into the Gains.
struct GainRow {
  std::string subject;
  const Gain* twice = nullptr;
  const Gain* half = nullptr;
  const Gain* choice = nullptr;

  /// The greatest gain; 0 if all are refused.
  double best() const {
    double most = 0;
    for (const Gain* gain : {twice, half, choice}) {
      if (gain != nullptr) most = std::max(most, gain->gain.value_or(0));
    }
    return most;
  }
};

/// A row for each subject, the greatest gain first; equal ones in the order of the changes.
std::vector<GainRow> rows_of(const Gains& gains);

}  // namespace podsim::studies::whatif
