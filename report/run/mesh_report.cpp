// SPDX-License-Identifier: Apache-2.0
#include "report/run/mesh_report.h"

#include <algorithm>
#include <map>

namespace podsim::report::run {

std::vector<AxisCollectives> collectives_by_axis(const sw::runtime::RunResult& result) {
  std::vector<AxisCollectives> rows;
  std::map<std::string, base::Time> exposed;
  for (const sw::runtime::CollectiveResult& c : result.collectives) {
    auto same = [&](const AxisCollectives& row) { return row.axes == c.axes && row.kind == c.kind; };
    auto row = std::ranges::find_if(rows, same);
    if (row == rows.end()) row = rows.insert(rows.end(), {c.axes, c.kind, 0, {}, {}, {}});
    row->count += c.count;
    row->bytes += c.bytes * c.count;
    row->time += c.time;
    row->exposed += c.exposed;
    exposed[c.axes] += c.exposed;
  }
  std::ranges::stable_sort(rows, [&](const AxisCollectives& a, const AxisCollectives& b) {
    if (a.axes != b.axes) return std::pair(exposed[b.axes], a.axes) < std::pair(exposed[a.axes], b.axes);
    return std::pair(b.exposed, a.kind) < std::pair(a.exposed, b.kind);
  });
  return rows;
}

}  // namespace podsim::report::run
