// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace podsim::sw::compiler {

/// A piece of memory that is needed from one position of a schedule to another, both included.
struct HeapRequest {
  int begin = 0, end = 0;
  base::Bytes bytes;
};

struct Heap {
  std::vector<base::Bytes> offsets;  ///< by request
  base::Bytes size;                  ///< end of the highest piece
};

/// Assigns offsets to all requests so that no two share a byte at the same position. The largest come first, each at
/// the lowest offset at which it fits between those already placed.
Heap place_in_heap(std::span<const HeapRequest> requests);

}  // namespace podsim::sw::compiler
