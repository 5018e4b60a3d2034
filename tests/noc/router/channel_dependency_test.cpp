// SPDX-License-Identifier: Apache-2.0
#include "noc/router/channel_dependency.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::noc::router {
namespace {

RouterParameters with(VcClasses classes, int vcs = 2) {
  RouterParameters router;
  router.vc_classes = classes;
  router.vcs = vcs;
  return router;
}

TEST(ChannelDependency, ARingWithoutClassesHasACycleThatNamesEveryLinkOfIt) {
  EXPECT_EQ(dependency_cycle(Topology({4}, {true}), with(VcClasses::none)),
            "(0)x+ -> (1)x+ -> (2)x+ -> (3)x+ -> (0)x+");
}

TEST(ChannelDependency, OneVirtualChannelCannotBeSplit) {
  EXPECT_NE(dependency_cycle(Topology({5, 5}, {true, true}), with(VcClasses::dateline, 1)), "");
}

TEST(ChannelDependency, MeshesNeedNoClasses) {
  EXPECT_EQ(dependency_cycle(Topology({5, 4, 3}, {false, false, false}), with(VcClasses::none, 1)), "");
}

TEST(ChannelDependency, RingsOfUpToThreeNeedNoClassesForEveryWayIsOneHop) {
  EXPECT_EQ(dependency_cycle(Topology({3, 2}, {true, true}), with(VcClasses::none, 1)), "");
  EXPECT_NE(dependency_cycle(Topology({4, 2}, {true, true}), with(VcClasses::none, 1)), "");
}

RC_GTEST_PROP(ChannelDependencyProperty, EitherSplitOfTheChannelsBreaksEveryRing, ()) {
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  for (int d = *rc::gen::inRange(1, 4); d > 0; --d) {
    sizes.push_back(*rc::gen::inRange(1, 8));
    wraps.push_back(*rc::gen::arbitrary<bool>());
  }
  const Topology topology(sizes, wraps);
  const int vcs = *rc::gen::inRange(2, 7);
  RC_ASSERT(dependency_cycle(topology, with(VcClasses::dateline, vcs)) == "");
  RC_ASSERT(dependency_cycle(topology, with(VcClasses::destination, vcs)) == "");
}

TEST(ChannelDependency, TheLongWayAroundNeedsTheDateline) {
  // With a dead link packets go up to seven hops: the split by destination was made for four.
  const Topology ring({8}, {true});
  const Fault dead = parse_fault("dead-link:(2)x+");
  const Faults faults(ring, {&dead, 1});
  EXPECT_EQ(dependency_cycle(ring, with(VcClasses::dateline), faults), "");
  EXPECT_NE(dependency_cycle(ring, with(VcClasses::destination), faults), "");
}

}  // namespace
}  // namespace podsim::noc::router
