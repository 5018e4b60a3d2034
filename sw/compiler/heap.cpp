// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/heap.h"

#include <algorithm>
#include <numeric>

namespace podsim::sw::compiler {

Heap place_in_heap(std::span<const HeapRequest> requests) {
  std::vector<std::size_t> order(requests.size()), placed;  // placed: by ascending offset
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return requests[i].bytes; });
  Heap heap;
  heap.offsets.resize(requests.size());
  for (const std::size_t i : order) {
    const HeapRequest& request = requests[i];
    if (request.bytes == base::Bytes(0)) break;
    base::Bytes offset;
    for (const std::size_t other : placed) {
      const HeapRequest& there = requests[other];
      if (there.end < request.begin || request.end < there.begin) continue;
      if (heap.offsets[other] >= offset + request.bytes) break;
      offset = std::max(offset, heap.offsets[other] + there.bytes);
    }
    heap.offsets[i] = offset;
    heap.size = std::max(heap.size, offset + request.bytes);
    placed.insert(std::ranges::upper_bound(placed, offset, {}, [&](std::size_t at) { return heap.offsets[at]; }), i);
  }
  return heap;
}

}  // namespace podsim::sw::compiler
