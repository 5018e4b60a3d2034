// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "noc/slice.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/tpu_v3.h"

// A collective of more bytes takes no less time: the property needs no expected times.
namespace podsim::sw::collectives::engine {
namespace {

constexpr double tolerance = 0.001;

/// Ascending: small ones, powers of two and multiples of MiB with their neighbours, and random ones.
std::vector<std::int64_t> byte_counts(std::size_t count, std::uint64_t seed) {
  std::set<std::int64_t> bytes{2, 64, 1024, 4096, 16384, 65536};
  std::mt19937_64 random(seed);
  for (int power = 16; power <= 27 && bytes.size() < count / 2; power += 2) {
    for (std::int64_t beside : {-4096, 0, 2, 4096}) bytes.insert((std::int64_t(1) << (power + int(seed % 2))) + beside);
  }
  for (std::int64_t mebibytes : {3, 6, 24, 48}) {
    for (std::int64_t beside : {0, 2, 4096}) {
      if (bytes.size() < count * 3 / 4) bytes.insert((mebibytes << 20) + beside);
    }
  }
  while (bytes.size() < count) {
    bytes.insert(std::int64_t(std::exp2(10 + 17 * double(random() >> 11) * 0x1p-53)) / 2 * 2);
  }
  return {bytes.begin(), bytes.end()};
}

struct Steps {
  int all = 0, down = 0;
};

template <class Time>
void walk(const std::vector<std::int64_t>& bytes, Time time, Steps& steps) {
  double before = 0;
  std::int64_t fewer = 0;
  for (const std::int64_t more : bytes) {
    const double now = time(more / 2);
    if (before > 0) {
      ++steps.all;
      if (now < before * (1 - tolerance)) ++steps.down;
      EXPECT_GE(now, before * (1 - tolerance)) << fewer << " to " << more << " bytes";
    }
    before = now;
    fewer = more;
  }
}

Steps automatic_steps(CollectiveKind kind, const std::vector<std::int64_t>& sizes, std::size_t count) {
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice = noc::slice_topology({machine.pod.dimensions, machine.pod.pods}, sizes);
  SCOPED_TRACE(::testing::Message() << to_string(kind) << " on " << noc::to_string(slice));
  Steps steps;
  walk(
      byte_counts(count, std::uint64_t(slice.nodes() + std::int64_t(kind))),
      [&](std::int64_t elements) {
        return seconds(simulate(machine, automatic(machine, slice, {kind, hlo::ElementType::bf16, elements})));
      },
      steps);
  return steps;
}

TEST(MoreBytes, AreNeverFaster) {
  for (const CollectiveKind kind : collective_kinds) {
    for (const std::vector<std::int64_t>& slice : std::vector<std::vector<std::int64_t>>{{2, 2}, {4, 4}, {32, 4}}) {
      automatic_steps(kind, slice, 30);
    }
  }
}

class MoreBytesOn : public ::testing::TestWithParam<std::vector<std::int64_t>> {};

// 51 steps of each of six kinds on each of ten slices: 3060.
TEST_P(MoreBytesOn, ASliceAreNeverFaster) {
  Steps sum;
  for (const CollectiveKind kind : collective_kinds) {
    const Steps steps = automatic_steps(kind, GetParam(), 52);
    sum.all += steps.all;
    sum.down += steps.down;
  }
  EXPECT_EQ(sum.all, 6 * 51);
  EXPECT_EQ(sum.down, 0);
}

using Sizes = std::vector<std::int64_t>;
INSTANTIATE_TEST_SUITE_P(TenSlices, MoreBytesOn,
                         ::testing::Values(Sizes{2, 2}, Sizes{4, 2}, Sizes{4, 4}, Sizes{4, 8}, Sizes{8, 4}, Sizes{8, 8},
                                           Sizes{16, 8}, Sizes{16, 16}, Sizes{32, 16}, Sizes{32, 32}));

}  // namespace
}  // namespace podsim::sw::collectives::engine
