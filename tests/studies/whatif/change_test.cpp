// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/change.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "workloads/machines/machines.h"

namespace podsim::studies::whatif {
namespace {

base::Config machine() {
  return base::Config::builtin("test", R"(
[core]
clock = { value = "940 MHz", evidence = "assumed", source = "a test" }
[mxu]
count = { value = 1, evidence = "assumed", source = "a test" }
[ici]
link_rate = { value = "656 Gb/s", evidence = "assumed", source = "a test" }
hop_latency = { value = "301 ns", evidence = "assumed", source = "a test" }
remote_dma_latency = { value = "679 ns", evidence = "assumed", source = "a test" }
)");
}

std::vector<std::string> arguments_of(const std::vector<Change>& changes, const std::string& subject,
                                      Change::Kind kind) {
  const auto found =
      std::ranges::find_if(changes, [&](const Change& c) { return c.subject == subject && c.kind == kind; });
  return found == changes.end() ? std::vector<std::string>{} : found->arguments;
}

using Words = std::vector<std::string>;

TEST(WhatifChange, ScalesValuesInTheirUnits) {
  const std::vector<Change> changes = resource_changes(machine());
  EXPECT_EQ(arguments_of(changes, "rate of links", Change::Kind::twice), (Words{"--set", "ici.link_rate=1312 Gb/s"}));
  EXPECT_EQ(arguments_of(changes, "rate of links", Change::Kind::half), (Words{"--set", "ici.link_rate=328 Gb/s"}));
  EXPECT_EQ(arguments_of(changes, "latency of links", Change::Kind::half),
            (Words{"--set", "ici.hop_latency=150.5 ns", "--set", "ici.remote_dma_latency=339.5 ns"}));
}

TEST(WhatifChange, HalfOfOneUnitIsNoChange) {
  const std::vector<Change> changes = resource_changes(machine());
  EXPECT_EQ(arguments_of(changes, "matrix units", Change::Kind::twice), (Words{"--set", "mxu.count=2"}));
  EXPECT_TRUE(arguments_of(changes, "matrix units", Change::Kind::half).empty());
}

TEST(WhatifChange, MachinesWithoutAKeyHaveNoSuchResource) {
  EXPECT_TRUE(std::ranges::none_of(resource_changes(machine()),
                                   [](const Change& change) { return change.subject == "rate of HBM"; }));
}

TEST(WhatifChange, ChoicesThatTheWordsMakeAreNotChanged) {
  const std::vector<Change> all = choice_changes({"run", "resnet50"}, 3);
  const std::vector<Change> less =
      choice_changes({"run", "resnet50", "--overlap=collectives", "--rematerialise", "none"}, 3);
  EXPECT_EQ(all.size(), less.size() + 3);
  // 3 samples have no half.
  EXPECT_EQ(arguments_of(all, "samples per core", Change::Kind::twice), (Words{"--batch-per-core", "6"}));
  EXPECT_TRUE(arguments_of(all, "samples per core", Change::Kind::half).empty());
}

}  // namespace
}  // namespace podsim::studies::whatif
