// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_occupancy.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

using base::Time;

constexpr std::int64_t ps_of_cycle = 1000;  // ps of round_machine(), whose HBM moves 100 B a cycle

TEST(HbmOccupancy, ClaimsAreServedInOrderAndTurnAroundForWhatIsMixed) {
  HbmOccupancy hbm(round_machine().hbm);
  EXPECT_EQ(hbm.claim(Time(0), Direction::read, base::Bytes(1000)), Time(10 * ps_of_cycle));
  EXPECT_EQ(hbm.claim(Time(0), Direction::write, base::Bytes(500)), Time(17 * ps_of_cycle));  // 500 and 0.4 of them
  EXPECT_EQ(hbm.claim(Time(40 * ps_of_cycle), Direction::write, base::Bytes(500)), Time(45 * ps_of_cycle));
}

// A port passes 40 of the 100 B that the HBM moves in a cycle, in each direction: reads concurrent with writes are
// free.
TEST(HbmOccupancy, NoDirectionMovesMoreThanItsPortOfTheSwitchPasses) {
  parts::hbm::Parameters parameters = round_machine().hbm;
  parameters.port_rate = base::Bandwidth(40e9);
  HbmOccupancy hbm(parameters);
  EXPECT_EQ(hbm.claim(Time(0), Direction::read, base::Bytes(1000)), Time(25 * ps_of_cycle));
  EXPECT_EQ(hbm.claim(Time(0), Direction::write, base::Bytes(1000)), Time(25 * ps_of_cycle));
  EXPECT_EQ(hbm.claim(Time(0), Direction::write, base::Bytes(400)), Time(35 * ps_of_cycle));
}

TEST(HbmOccupancy, AClaimThatFollowsARecordTakesAsLongWheneverItComes) {
  // Left alone, the HBM is idle again at 18 ns and saves the turnaround of a write that comes then.
  std::vector<bool> idle;
  HbmOccupancy first(round_machine().hbm);
  first.record_idle(idle);
  first.claim(Time(1), Direction::read, base::Bytes(1000));
  EXPECT_EQ(first.claim(Time(1), Direction::write, base::Bytes(500)), Time(1 + 17 * ps_of_cycle));
  EXPECT_EQ(idle, (std::vector<bool>{true, false}));
  HbmOccupancy late(round_machine().hbm);
  late.follow_idle(idle);
  late.claim(Time(1), Direction::read, base::Bytes(1000));
  EXPECT_EQ(late.claim(Time(18 * ps_of_cycle), Direction::write, base::Bytes(500)), Time(25 * ps_of_cycle));
}

/// An op that leaves claims half of the HBM.
class HalfOfIt : public HbmSharer {
 public:
  double share(const std::array<bool, 2>&) override { return 0.5; }
};

TEST(HbmOccupancy, AClaimWithHalfOfTheHbmTakesTwiceAsLong) {
  HbmOccupancy hbm(round_machine().hbm);
  HalfOfIt op;
  hbm.share_with(&op, Time(0));
  EXPECT_EQ(hbm.claim(Time(0), Direction::read, base::Bytes(1000)), Time(20 * ps_of_cycle));
  hbm.share_with(nullptr, Time(20 * ps_of_cycle));
  EXPECT_EQ(hbm.claim(Time(20 * ps_of_cycle), Direction::read, base::Bytes(1000)), Time(30 * ps_of_cycle));
}

TEST(HbmOccupancy, AnOpIsBesideWhatIsLeftOfEarlierClaimsAndAllLaterOnes) {
  HbmOccupancy hbm(round_machine().hbm);
  hbm.claim(Time(0), Direction::read, base::Bytes(500));   // until 5 ns
  hbm.claim(Time(0), Direction::read, base::Bytes(1000));  // until 15 ns
  HalfOfIt op;
  hbm.share_with(&op, Time(9 * ps_of_cycle));
  hbm.claim(Time(10 * ps_of_cycle), Direction::write, base::Bytes(200));
  ASSERT_EQ(hbm.claims().size(), 2U);
  EXPECT_EQ(hbm.claims()[0].bytes, base::Bytes(600));
  EXPECT_EQ(hbm.claims()[0].begin, Time(9 * ps_of_cycle));
  EXPECT_EQ(hbm.claims()[1].bytes, base::Bytes(200));
  EXPECT_EQ(hbm.claims()[1].begin, Time(15 * ps_of_cycle));
  EXPECT_EQ(hbm.claims()[1].from, Time(10 * ps_of_cycle));  // with the read before it
}

TEST(HbmOccupancy, WithoutContentionNoOpIsBesideClaims) {
  HbmOccupancy hbm(round_machine().hbm);
  hbm.set_contended(false);
  HalfOfIt op;
  hbm.share_with(&op, Time(0));
  EXPECT_EQ(hbm.claim(Time(0), Direction::read, base::Bytes(1000)), Time(10 * ps_of_cycle));
  EXPECT_TRUE(hbm.claims().empty());
}

}  // namespace
}  // namespace podsim::hw::timing
