// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/heap.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace podsim::sw::compiler {

namespace {

/// An array and the memory that it has.
struct Placed {
  base::Bytes offset, end_offset;
  int begin = 0, end = 0;  ///< first and last instruction at which it is live
};

/// Offsets below which all memory is taken at an instruction. Only those at which arrays begin or end are kept: where
/// many arrays live at once, the search for free memory begins above them.
class Floors {
 public:
  base::Bytes below(const HeapRequest& request) const { return std::max(at(request.begin), at(request.end)); }
  void raise(const Placed& placed) {
    for (const int instruction : {placed.begin, placed.end}) {
      base::Bytes& floor = floors_[instruction];
      if (placed.offset <= floor) floor = std::max(floor, placed.end_offset);
    }
  }

 private:
  base::Bytes at(int instruction) const {
    const auto found = floors_.find(instruction);
    return found == floors_.end() ? base::Bytes(0) : found->second;
  }

  std::unordered_map<int, base::Bytes> floors_;
};

}  // namespace

Heap place_in_heap(std::span<const HeapRequest> requests) {
  std::vector<std::size_t> order(requests.size());
  std::vector<Placed> placed;  // by ascending offset
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return requests[i].bytes; });
  Floors floors;
  Heap heap;
  heap.offsets.resize(requests.size());
  for (const std::size_t i : order) {
    const HeapRequest& request = requests[i];
    if (request.bytes == base::Bytes(0)) break;
    base::Bytes offset = floors.below(request);
    // No array is larger than the first, so those that begin further below end there.
    const base::Bytes reach = std::min(offset, requests[order.front()].bytes);
    for (auto next = std::ranges::lower_bound(placed, offset - reach, {}, &Placed::offset); next != placed.end();
         ++next) {
      const Placed& other = *next;
      if (other.end < request.begin || request.end < other.begin) continue;
      if (other.offset >= offset + request.bytes) break;
      offset = std::max(offset, other.end_offset);
    }
    heap.offsets[i] = offset;
    heap.size = std::max(heap.size, offset + request.bytes);
    const Placed made{offset, offset + request.bytes, request.begin, request.end};
    floors.raise(made);
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &Placed::offset), made);
  }
  return heap;
}

}  // namespace podsim::sw::compiler
