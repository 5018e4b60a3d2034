// SPDX-License-Identifier: Apache-2.0
#include "noc/slice.h"

#include <gtest/gtest.h>

namespace podsim::noc {
namespace {

const PodShape four_pods{.dimensions = {32, 32}, .pods = 4};

using Wraps = std::vector<bool>;

TEST(Slice, WrapsExactlyWhereItTakesAWholePodDimension) {
  EXPECT_EQ(slice_wraps(four_pods, {8, 4}), (Wraps{false, false}));
  EXPECT_EQ(slice_wraps(four_pods, {16, 32}), (Wraps{false, true}));
  EXPECT_EQ(slice_wraps(four_pods, {32, 32}), (Wraps{true, true}));
}

TEST(Slice, AMultipodIsOpenAlongX) {
  // MLPerf run flags of the 4096-chip submission: wrap = false,true.
  EXPECT_EQ(slice_wraps(four_pods, {128, 32}), (Wraps{false, true}));
  EXPECT_EQ(slice_wraps(four_pods, {64, 32}), (Wraps{false, true}));
}

TEST(Slice, EveryShapeSeenInPublishedRunsCanBeFormed) {
  for (std::vector<std::int64_t> sizes : {std::vector<std::int64_t>{4, 4},
                                          {8, 8},
                                          {16, 8},
                                          {16, 16},
                                          {16, 32},
                                          {32, 32},
                                          {64, 32},
                                          {128, 32},
                                          {1, 1},
                                          {2, 2},
                                          {8, 4}}) {
    EXPECT_EQ(slice_problem(four_pods, sizes), "");
  }
}

TEST(Slice, SaysWhyAShapeCannotBeFormed) {
  EXPECT_EQ(slice_problem(four_pods, {3, 4}), "3 is not a power of two");
  EXPECT_EQ(slice_problem(four_pods, {4, 64}), "the machine has 32 chips along y, the slice asks for 64");
  EXPECT_EQ(slice_problem(four_pods, {256, 32}), "the machine has 128 chips along x, the slice asks for 256");
  EXPECT_EQ(slice_problem(four_pods, {4}), "a slice of this machine has 2 dimensions, not 1");
  EXPECT_EQ(slice_problem(four_pods, {0, 4}), "a slice dimension must be at least 1, not 0");
}

TEST(Slice, OnlyAMultipodHasPodBoundaries) {
  EXPECT_EQ(slice_topology(four_pods, {128, 32}).pod_length(), 32);
  EXPECT_EQ(slice_topology(four_pods, {32, 32}).pod_length(), 0);
}

}  // namespace
}  // namespace podsim::noc
