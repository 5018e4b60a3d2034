// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/heap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace podsim::sw::compiler {
namespace {

HeapRequest from_to(int begin, int end, std::int64_t bytes) { return {begin, end, base::Bytes(bytes)}; }

TEST(Heap, PiecesThatAreNotNeededTogetherShareTheirPlace) {
  const Heap heap = place_in_heap(std::vector{from_to(0, 1, 8), from_to(2, 3, 8), from_to(1, 2, 4)});
  EXPECT_EQ(heap.offsets, (std::vector{base::Bytes(0), base::Bytes(0), base::Bytes(8)}));
  EXPECT_EQ(heap.size, base::Bytes(12));
}

TEST(Heap, APieceFillsAHoleBetweenLargerOnes) {
  // At position 1 the pieces of 10 and 8 bytes are next to each other; at 2 the first is gone, and 10 bytes are free.
  const Heap heap = place_in_heap(std::vector{from_to(0, 1, 10), from_to(1, 2, 8), from_to(2, 3, 6)});
  EXPECT_EQ(heap.offsets, (std::vector{base::Bytes(0), base::Bytes(10), base::Bytes(0)}));
}

/// The most bytes that are needed at one position: no heap is smaller.
base::Bytes max_live(const std::vector<HeapRequest>& requests) {
  base::Bytes most;
  for (int at = 0; at < 64; ++at) {
    base::Bytes live;
    for (const HeapRequest& r : requests) live += r.begin <= at && at <= r.end ? r.bytes : base::Bytes(0);
    most = std::max(most, live);
  }
  return most;
}

RC_GTEST_PROP(Heap, NoTwoPiecesShareAByteAtOnePosition, ()) {
  std::vector<HeapRequest> requests;
  const int count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    const int begin = *rc::gen::inRange(0, 63);
    requests.push_back(from_to(begin, *rc::gen::inRange(begin, 64), *rc::gen::inRange(0, 100)));
  }
  const Heap heap = place_in_heap(requests);
  RC_ASSERT(heap.size >= max_live(requests));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    RC_ASSERT(heap.offsets[i] + requests[i].bytes <= heap.size);
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = requests[i].begin <= requests[j].end && requests[j].begin <= requests[i].end;
      const bool overlap = heap.offsets[i] < heap.offsets[j] + requests[j].bytes &&
                           heap.offsets[j] < heap.offsets[i] + requests[i].bytes;
      RC_ASSERT(!(together && overlap));
    }
  }
}

}  // namespace
}  // namespace podsim::sw::compiler
