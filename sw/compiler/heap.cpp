// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/heap.h"

#include <algorithm>
#include <numeric>

namespace podsim::sw::compiler {

namespace {

/// An array that has its place.
struct Placed {
  base::Bytes offset, end_offset;
  int begin = 0, end = 0;  ///< first and last instruction at which it is live
};

}  // namespace

Heap place_in_heap(std::span<const HeapRequest> requests) {
  std::vector<std::size_t> order(requests.size());
  std::vector<Placed> placed;  // by ascending offset
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return requests[i].bytes; });
  Heap heap;
  heap.offsets.resize(requests.size());
  for (const std::size_t i : order) {
    const HeapRequest& request = requests[i];
    if (request.bytes == base::Bytes(0)) break;
    base::Bytes offset;
    for (const Placed& other : placed) {
      if (other.end < request.begin || request.end < other.begin) continue;
      if (other.offset >= offset + request.bytes) break;
      offset = std::max(offset, other.end_offset);
    }
    heap.offsets[i] = offset;
    heap.size = std::max(heap.size, offset + request.bytes);
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &Placed::offset),
                  {offset, offset + request.bytes, request.begin, request.end});
  }
  return heap;
}

}  // namespace podsim::sw::compiler
