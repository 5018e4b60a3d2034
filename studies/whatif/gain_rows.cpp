// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/gain_rows.h"

namespace podsim::studies::whatif {

std::vector<GainRow> rows_of(const Gains& gains) {
  std::vector<GainRow> rows;
  for (const Gain& gain : gains.of) {
    auto row = std::ranges::find(rows, gain.change.subject, &GainRow::subject);
    if (row == rows.end()) row = rows.insert(rows.end(), GainRow{.subject = gain.change.subject});
    using enum Change::Kind;
    const Gain*& place = gain.change.kind == twice ? row->twice : gain.change.kind == half ? row->half : row->choice;
    place = &gain;
  }
  std::ranges::stable_sort(rows, [](const GainRow& a, const GainRow& b) { return a.best() > b.best(); });
  return rows;
}

}  // namespace podsim::studies::whatif
