// SPDX-License-Identifier: Apache-2.0
#include "noc/faults.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/noc/faults_of.h"

namespace podsim::noc {
namespace {

const Topology torus_4x4({4, 4}, {true, true});

Faults faults(std::initializer_list<std::string_view> texts, const Topology& topology = torus_4x4) {
  return faults_of(topology, texts);
}

TEST(Faults, ADeadLinkIsDeadInTheDirectionThatIsNamed) {
  const Faults dead = faults({"dead-link:(1,2)x+"});
  for (LinkId id = 0; id < torus_4x4.link_ids(); ++id) EXPECT_EQ(dead.dead(id), id == torus_4x4.link_id(9, 0, 1)) << id;
  EXPECT_TRUE(dead.any_dead());
}

TEST(Faults, ALinkWithoutASignIsBothThatLeaveTheChipAlongTheDimension) {
  const Faults slow = faults({"slow-link:(0,0)y:0.25"});
  EXPECT_EQ(slow.link_speed(torus_4x4.link_id(0, 1, 1)), 0.25);
  EXPECT_EQ(slow.link_speed(torus_4x4.link_id(0, 1, -1)), 0.25);
  EXPECT_EQ(slow.link_speed(torus_4x4.link_id(0, 0, 1)), 1);
  EXPECT_FALSE(slow.any_dead());
}

TEST(Faults, ADeadChipTakesTheLinksToAndFromItWithIt) {
  const Faults dead = faults({"dead-chip:(1,1)"});
  int links = 0;
  for (LinkId id = 0; id < torus_4x4.link_ids(); ++id) links += dead.dead(id);
  EXPECT_EQ(links, 8);  // four leave it, four reach it
  EXPECT_TRUE(dead.dead_chip(5));
  EXPECT_TRUE(dead.dead(torus_4x4.link_id(4, 0, 1)));
}

TEST(Faults, BitErrorsAreOnEveryLinkOrOnOne) {
  EXPECT_EQ(faults({"bit-errors:1e-9"}).bit_error_rate(17), 1e-9);
  const Faults one = faults({"bit-errors:(0,0)x+:1e-6"});
  EXPECT_EQ(one.bit_error_rate(0), 1e-6);
  EXPECT_EQ(one.bit_error_rate(1), 0);
}

TEST(Faults, StallsAreOnEveryLinkOrOnOne) {
  EXPECT_EQ(faults({"stalls:0.2"}).stall_rate(17), 0.2);
  EXPECT_EQ(faults({"stalls:(0,0)x+:0.5"}).stall_rate(0), 0.5);
  EXPECT_EQ(faults({"stalls:(0,0)x+:0.5"}).stall_rate(1), 0);
}

TEST(Faults, ChipsAreSlowAndBeginLate) {
  const Faults late = faults({"slow-chip:(3,0):0.5", "jitter:5us"});
  EXPECT_EQ(late.chip_speed(3), (ChipSpeed{0.5, 0.5}));
  for (NodeId chip = 0; chip < 16; ++chip) EXPECT_LE(late.delay(chip, 0), base::Time(5000000));
}

TEST(Faults, TheSpeedOfAChipIsTheProductOfItsFaults) {
  const Faults slow = faults({"slow-clock:(1,0):0.5", "slow-hbm:(1,0):0.25", "slow-chip:(1,0):0.5"});
  EXPECT_EQ(slow.chip_speed(1), (ChipSpeed{0.25, 0.125}));
  EXPECT_TRUE(slow.chip_speed(0).healthy());
}

TEST(Faults, DrawnSpeedsAreSlowerAndDifferFromChipToChipAndSeedToSeed) {
  const Fault drawn = parse_fault("speeds:exponential:0.1");
  const Faults one(torus_4x4, std::span(&drawn, 1), {.host_chips = 4, .seed = 1});
  const Faults other(torus_4x4, std::span(&drawn, 1), {.host_chips = 4, .seed = 2});
  for (NodeId chip = 0; chip < 16; ++chip) {
    const ChipSpeed speed = one.chip_speed(chip);
    EXPECT_LT(speed.clock, 1);
    EXPECT_EQ(speed.clock, speed.hbm);
    EXPECT_NE(speed, one.chip_speed((chip + 1) % 16));
    EXPECT_NE(speed, other.chip_speed(chip));
  }
}

TEST(Faults, ChipsOfAHostBeginTogether) {
  const Fault jitter = parse_fault("host-jitter:exponential:5us");
  const Faults late(torus_4x4, std::span(&jitter, 1), {.host_chips = 8, .seed = 3});
  for (NodeId chip = 0; chip < 16; ++chip) EXPECT_EQ(late.delay(chip, 2), late.delay(chip / 8 * 8, 2));
  EXPECT_NE(late.delay(0, 2), late.delay(8, 2));
  EXPECT_NE(late.delay(0, 2), late.delay(0, 3));
}

TEST(Faults, WhatAFaultSaysReadsBackAsTheSameFault) {
  for (std::string_view text :
       {"dead-link:(0,3)x+", "dead-link:(0,3)y", "slow-link:(1,0)y-:0.5", "dead-chip:(2,2)", "slow-chip:(2,2):0.8",
        "bit-errors:1e-12", "bit-errors:(0,0)x-:1e-06", "stalls:0.2", "stalls:(0,0)x-:0.2", "slow-clock:(2,2):0.8",
        "slow-hbm:(2,2):0.8", "slow-host:3:0.5", "jitter:exponential:5 us", "host-jitter:normal:5 us", "speeds:0.5",
        "speeds:normal:0.01"}) {
    EXPECT_EQ(to_string(parse_fault(text)), text);
  }
}

TEST(Faults, TextThatIsNoFaultIsRefused) {
  for (std::string_view text : {"",
                                "dead-lnk:(0,0)x+",
                                "dead-link",
                                "dead-link:",
                                "dead-link:(0,0)",
                                "dead-link:(0,0)q",
                                "dead-link:0,0x+",
                                "dead-link:(0,-1)x+",
                                "dead-link:(0,0)x+:1",
                                "slow-link:(0,0)x+",
                                "slow-link:(0,0)x+:0",
                                "slow-link:(0,0)x+:2",
                                "slow-link:(0,0)x+:nan",
                                "slow-link:(0,0)x+:1e-300",
                                "slow-chip:(0,0):0.0009",
                                "bit-errors:0.5",
                                "bit-errors:x",
                                "jitter:5",
                                "jitter:5 GB",
                                "jitter:expnential:5us",
                                "jitter:exponential:",
                                "host-jitter:(0,0):5us",
                                "speeds:normal:2",
                                "speeds:normal:5us",
                                "slow-host:(0,0):0.5",
                                "slow-host:-1:0.5",
                                "slow-host:1",
                                "slow-clock:(0,0)x+:0.5",
                                "slow-hbm:(0,0)",
                                "jitter:1.001 s",
                                "jitter:1e300 s",
                                "dead-chip:()"}) {
    EXPECT_THROW(parse_fault(text), base::InputError) << text;
  }
}

TEST(Faults, PlacesThatTheSliceDoesNotHaveAreRefused) {
  for (std::string_view text :
       {"dead-chip:(4,0)", "dead-chip:(0)", "dead-chip:(0,0,0)", "dead-link:(0,0)z+", "slow-host:4:0.5"}) {
    EXPECT_THROW(faults({text}), base::InputError) << text;
  }
  EXPECT_THROW(faults({"dead-link:(3,0)x+"}, Topology({4, 4}, {false, false})), base::InputError);
}

}  // namespace
}  // namespace podsim::noc
