// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/csv_table.h"

namespace podsim::report::html {

/// An array in a core's memory: bytes `offset` to `offset + bytes` at positions `first` to `last` of the schedule.
struct HeapPlace {
  std::int64_t offset = 0, bytes = 0;
  std::size_t first = 0, last = 0;
};

/// The locations in one cell of memory.csv: "0+4096@0..7 4096+512@5..9". Text that is not of this form ends the list.
std::vector<HeapPlace> heap_places(std::string_view cell);

/// A chart of the arrays of memory.csv, the position in the schedule to the right and the address up, each with its
/// name as a tooltip. The smallest are left out and counted in the caption. Empty without locations. `heap` is the size
/// of the heap in bytes.
std::string heap_chart_html(const CsvTable& memory, double heap);

}  // namespace podsim::report::html
