// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/stream_agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

TEST(StreamAgreement, RandomTrafficTakesAsLongOverStreamsAsOverBanks) {
  const Machine machine = tpu_v3();
  std::vector<double> errors;
  for (std::uint64_t seed = 1000; seed < 1015; ++seed) {
    errors.push_back(std::abs(compare_streams(machine, random_requests(seed)).error()));
  }
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 0.02);
  EXPECT_LT(errors.back(), 0.08);
}

TEST(StreamAgreement, TrafficHasEveryKindOfShapeInWholeRows) {
  int contiguous = 0, rows = 0, scattered = 0, reads = 0, writes = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<StreamRequest> requests = random_requests(seed);
    ASSERT_GE(requests.size(), 1U);
    ASSERT_LE(requests.size(), 8U);
    for (const StreamRequest& request : requests) {
      ++(request.direction == Direction::read ? reads : writes);
      ++(request.shape.contiguous() ? contiguous : request.shape.span > base::Bytes(0) ? scattered : rows);
      EXPECT_GT(request.bytes, base::Bytes(0));
      if (!request.shape.contiguous()) {
        EXPECT_EQ(request.bytes % request.shape.row, base::Bytes(0));
      }
    }
  }
  for (const int count : {contiguous, rows, scattered, reads, writes}) EXPECT_GT(count, 50);
}

}  // namespace
}  // namespace podsim::hw::memory::banks
