// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/buffer_donors.h"

#include <gtest/gtest.h>

#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::transform {
namespace {

// Outputs 0 and 3 have the shape of a donor each; output 1 has its donation, and no donor is left for output 2.
TEST(BufferDonors, GoToTheFirstOutputsOfTheirShape) {
  const Module module = text::testing::graph_of(
      "HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }, buffer_donor={ (3, {}), (2, {}), (0, {}), (9, {}) "
      "}\n"
      "ENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[4] parameter(1)\n  c = f32[8] parameter(2)\n"
      "  d = f32[4] parameter(3)\n  e = f32[4] negate(a)\n  f = f32[8] negate(c)\n"
      "  ROOT r = (f32[4], f32[4], f32[4], f32[8]) tuple(e, d, b, f)\n}\n");
  EXPECT_EQ(buffer_donors(module), (std::vector<std::int64_t>{3, 2, 0, 9}));
  EXPECT_EQ(with_buffer_donors(module), (std::vector<Donation>{{1, 0, 0}, {0, 3, 0}, {3, 2, 0}}));
}

}  // namespace
}  // namespace podsim::hlo::transform
