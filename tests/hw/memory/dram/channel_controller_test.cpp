// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/channel_controller.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "tests/hw/memory/command_checker.h"
#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw::memory::dram {
namespace {

/// Address of a DRAM location in one channel: the inverse of the map, by search.
class Finder {
 public:
  explicit Finder(const parts::hbm::DramParameters& parameters)
      : map_(parameters), burst_(std::uint64_t(parameters.organization.burst.value())) {}
  std::uint64_t address(int pseudo_channel, int group, int bank, std::int64_t row, std::int64_t column) const {
    for (std::uint64_t address = 0;; address += burst_) {
      const DramAddress at = map_.decode(address);
      if (at.pseudo_channel == pseudo_channel && at.bank_group == group && at.bank == bank && at.row == row &&
          at.column == column) {
        return address;
      }
    }
  }

 private:
  AddressMap map_;
  std::uint64_t burst_;
};

MemoryRequest burst(Direction direction, std::uint64_t address, std::uint64_t tag = 0) {
  return {direction, address, base::Bytes(32), tag};
}

std::vector<MemoryCompletion> finish(ChannelController& channel) {
  std::vector<MemoryCompletion> completed;
  while (const auto next = channel.next_completion()) channel.advance(*next, completed);
  return completed;
}

std::int64_t clocks_of_one(ChannelController& channel, const MemoryRequest& request) {
  const base::Cycles start = channel.now();
  channel.submit(request);
  return (finish(channel).back().clock - start).value();
}

// One channel without hashes, so that tests can choose the row of an address.
parts::hbm::DramParameters plain(std::vector<std::string> settings = {}, const DramStandard& standard = hbm2) {
  settings.insert(settings.begin(), {"hbm.channels=1", "hbm.bank_hash=false", "hbm.channel_hash=false",
                                     "hbm.refresh=none", "hbm.interleave=32 B"});
  return standard.with(settings);
}

void wait(ChannelController& channel, std::int64_t clocks) {
  std::vector<MemoryCompletion> none;
  channel.advance(channel.now() + base::Cycles(clocks), none);
  EXPECT_TRUE(none.empty());
}

TEST(ChannelController, AnUnloadedBurstTakesWhatItsRowNeedsAndLatencyAndData) {
  const parts::hbm::DramParameters parameters = plain();
  const Finder find(parameters);
  const std::uint64_t here = find.address(0, 0, 0, 0, 0), same_row = find.address(0, 0, 0, 0, 9);
  const std::uint64_t other_row = find.address(0, 0, 0, 1, 0);
  ChannelController channel(parameters);
  EXPECT_EQ(clocks_of_one(channel, burst(Direction::read, here)), 13 + 13 + 2);  // RCD, CL, data
  wait(channel, 100);
  EXPECT_EQ(clocks_of_one(channel, burst(Direction::read, same_row)), 13 + 2);
  wait(channel, 100);
  EXPECT_EQ(clocks_of_one(channel, burst(Direction::read, other_row)), 13 + 13 + 13 + 2);  // RP, RCD, CL, data
  wait(channel, 100);
  EXPECT_EQ(clocks_of_one(channel, burst(Direction::write, same_row)), 13 + 11 + 5 + 2);  // RP, RCD, CWL, data
  wait(channel, 100);
  EXPECT_EQ(clocks_of_one(channel, burst(Direction::write, here)), 5 + 2);
}

class ChannelOfEveryStandard : public ::testing::TestWithParam<DramStandard> {};
INSTANTIATE_TEST_SUITE_P(ChannelController, ChannelOfEveryStandard, ::testing::Values(hbm2, hbm3),
                         [](const auto& test) { return test.param.name; });

TEST_P(ChannelOfEveryStandard, GivesAnUnloadedBurstItsLatencyInClosedForm) {
  const parts::hbm::DramParameters parameters = plain({}, GetParam());
  const parts::hbm::DramTiming& t = parameters.timing;
  const base::Cycles data = parameters.organization.burst_clocks;
  const Finder find(parameters);
  const auto clocks = [&](ChannelController& channel, Direction direction, std::int64_t row) {
    wait(channel, 1000);
    return base::Cycles(clocks_of_one(channel, burst(direction, find.address(1, 2, 3, row, 0))));
  };
  ChannelController channel(parameters);
  EXPECT_EQ(clocks(channel, Direction::read, 0), t.rcd_read + t.cl + data);
  EXPECT_EQ(clocks(channel, Direction::read, 0), t.cl + data);
  EXPECT_EQ(clocks(channel, Direction::read, 1), t.rp + t.rcd_read + t.cl + data);
  EXPECT_EQ(clocks(channel, Direction::write, 1), t.cwl + data);
  EXPECT_EQ(clocks(channel, Direction::write, 0), t.rp + t.rcd_write + t.cwl + data);
}

TEST(ChannelController, AClosedPageSparesThePrechargeAndCostsTheActivate) {
  const parts::hbm::DramParameters parameters = plain({"hbm.page_policy=closed"});
  const Finder find(parameters);
  ChannelController channel(parameters);
  CommandChecker checker(parameters);
  channel.observe(&checker);
  for (const std::int64_t row : {0, 0, 1}) {
    EXPECT_EQ(clocks_of_one(channel, burst(Direction::read, find.address(0, 0, 0, row, 0))), 13 + 13 + 2);
    wait(channel, 100);
  }
  EXPECT_EQ(checker.count(DramCommand::read_precharge), 3);
  EXPECT_EQ(checker.count(DramCommand::precharge), 0);
}

TEST(ChannelController, BurstsOfOneRowFollowEachOtherAtCcdLAndOfTwoGroupsAtCcdS) {
  const parts::hbm::DramParameters parameters = plain();
  const Finder find(parameters);
  {
    ChannelController channel(parameters);
    for (std::int64_t i = 0; i < 8; ++i) channel.submit(burst(Direction::read, find.address(0, 0, 0, 0, i)));
    EXPECT_EQ(finish(channel).back().clock, base::Cycles(13 + 7 * 4 + 13 + 2));
  }
  {
    // The second group's row opens RRD_S later. Its first read at 17 is older than the first group's second; from then
    // on they alternate.
    ChannelController channel(parameters);
    for (std::int64_t i = 0; i < 8; ++i) {
      channel.submit(burst(Direction::read, find.address(0, int(i % 2), 0, 0, i)));
    }
    EXPECT_EQ(finish(channel).back().clock, base::Cycles(17 + 6 * 2 + 13 + 2));
  }
}

TEST(ChannelController, BothPseudoChannelsMoveDataAtTheSameTime) {
  const parts::hbm::DramParameters parameters = plain();
  const Finder find(parameters);
  ChannelController channel(parameters);
  for (std::int64_t i = 0; i < 16; ++i)
    channel.submit(burst(Direction::read, find.address(int(i % 2), 0, 0, 0, i / 2)));
  // The second one's activate comes two clocks later, on the shared row bus; its reads too, at CCD_L.
  EXPECT_EQ(finish(channel).back().clock, base::Cycles(2 + 13 + 7 * 4 + 13 + 2));
}

TEST_P(ChannelOfEveryStandard, MovesBurstsThatHitOpenRowsBackToBack) {
  const parts::hbm::DramParameters parameters = plain({}, GetParam());
  const parts::hbm::DramOrganization& organization = parameters.organization;
  const Finder find(parameters);
  std::vector<std::uint64_t> addresses;
  for (std::int64_t i = 0; i < 16; ++i) {
    addresses.push_back(find.address(int(i % 2), int(i / 2 % 4), 0, 0, i / 8));
  }
  for (const Direction direction : {Direction::read, Direction::write}) {
    ChannelController channel(parameters);
    std::vector<MemoryCompletion> completed;
    constexpr std::size_t count = 100'000;
    for (std::size_t sent = 0; completed.size() < count;) {
      for (; sent < count && channel.accepts(burst(direction, addresses[sent % 16])); ++sent) {
        channel.submit(burst(direction, addresses[sent % 16]));
      }
      channel.advance(*channel.next_completion(), completed);
    }
    const double bytes_per_second = double(count * std::size_t(organization.burst.value())) /
                                    (double(channel.now().value()) / parameters.clock.si());
    const double peak = parameters.pin_rate().si() / double(organization.channels);
    EXPECT_NEAR(bytes_per_second, peak, 0.001 * peak);
  }
}

TEST(ChannelController, ARowHitOvertakesAnOlderRequestForAnotherRow) {
  const parts::hbm::DramParameters parameters = plain();
  const Finder find(parameters);
  ChannelController channel(parameters);
  clocks_of_one(channel, burst(Direction::read, find.address(0, 0, 0, 0, 0)));
  channel.submit(burst(Direction::read, find.address(0, 0, 0, 1, 0), 1));
  channel.submit(burst(Direction::read, find.address(0, 0, 0, 0, 1), 2));
  const auto completed = finish(channel);
  EXPECT_EQ(completed[0].tag, 2u);
  EXPECT_EQ(completed[1].tag, 1u);
}

// Sends requests of a stream as soon as there is room, for a number of clocks or until `last` has completed.
std::int64_t complete_under(ChannelController& channel, const std::function<MemoryRequest()>& stream,
                            std::uint64_t last, std::int64_t limit) {
  std::vector<MemoryCompletion> completed;
  while (channel.now().value() < limit) {
    for (MemoryRequest next = stream(); channel.accepts(next); next = stream()) channel.submit(next);
    channel.advance(*channel.next_room(), completed);
    for (const MemoryCompletion& done : completed) {
      if (done.tag == last) return done.clock.value();
    }
    completed.clear();
  }
  return limit;
}

TEST(ChannelController, RowHitsOvertakeAnOlderRequestNoMoreOftenThanAllowed) {
  for (const std::int64_t bound : {8, 64}) {
    const std::string setting = "hbm.starvation_bound_bursts=" + std::to_string(bound);
    const parts::hbm::DramParameters parameters = plain({setting});
    const Finder find(parameters);
    ChannelController channel(parameters);
    const std::uint64_t hits = find.address(0, 0, 0, 0, 0), other = find.address(0, 0, 0, 1, 0);
    channel.submit(burst(Direction::read, hits));
    std::vector<MemoryCompletion> none;
    channel.advance(base::Cycles(20), none);
    channel.submit(burst(Direction::read, other, 1));
    const auto stream = [&] { return burst(Direction::read, hits, 2); };
    // Hits follow at CCD_L; then the bank closes and opens.
    const std::int64_t time = complete_under(channel, stream, 1, 100'000);
    EXPECT_EQ(time, 20 + (bound - 1) * 4 + 5 + 13 + 13 + 13 + 2);  // RTP, RP, RCD, CL, data
  }
}

TEST(ChannelController, AFewWritesWaitForReadsNoLongerThanAllowed) {
  const parts::hbm::DramParameters parameters = plain({"hbm.starvation_bound_bursts=100", "hbm.read_queue_bursts=64"});
  const Finder find(parameters);
  const std::uint64_t reads[2] = {find.address(0, 0, 0, 0, 0), find.address(0, 1, 0, 0, 0)};
  const std::uint64_t write = find.address(0, 2, 0, 0, 0);
  ChannelController channel(parameters);
  clocks_of_one(channel, burst(Direction::write, write));
  std::uint64_t turn = 0;
  const auto stream = [&] { return burst(Direction::read, reads[turn++ % 2], 2); };
  for (int i = 0; i < 60; ++i) channel.submit(stream());
  const std::int64_t start = channel.now().value();
  channel.submit(burst(Direction::write, write, 1));
  const std::int64_t time = complete_under(channel, stream, 1, 100'000) - start;
  // A hundred reads at CCD_S first, then the turnaround; the rows are opened before and meanwhile.
  EXPECT_GE(time, 100 * 2);
  EXPECT_LE(time, 100 * 2 + 60);
}

TEST(ChannelController, WritesAreDrainedWhenEnoughWaitAndThenAllOfThem) {
  const parts::hbm::DramParameters parameters = plain({"hbm.drain_high_bursts=16", "hbm.read_queue_bursts=64"});
  const Finder find(parameters);
  const std::uint64_t reads[2] = {find.address(0, 0, 0, 0, 0), find.address(0, 1, 0, 0, 0)};
  const std::uint64_t writes[2] = {find.address(0, 2, 0, 0, 0), find.address(0, 3, 0, 0, 0)};
  ChannelController channel(parameters);
  for (int i = 0; i < 60; ++i) channel.submit(burst(Direction::read, reads[i % 2], 1));
  for (int i = 0; i < 15; ++i) channel.submit(burst(Direction::write, writes[i % 2], 2));
  std::vector<MemoryCompletion> completed;
  channel.advance(base::Cycles(60), completed);
  for (const MemoryCompletion& done : completed) EXPECT_EQ(done.tag, 1u);
  channel.submit(burst(Direction::write, writes[1], 2));
  for (const MemoryCompletion& done : finish(channel)) completed.push_back(done);
  // Reads, all sixteen writes, the rest of the reads: the direction changes twice.
  int turns = 0, drained = 0;
  for (std::size_t i = 1; i < completed.size(); ++i) turns += completed[i].tag != completed[i - 1].tag ? 1 : 0;
  for (const MemoryCompletion& done : completed) drained += done.tag == 2 ? 1 : 0;
  EXPECT_EQ(turns, 2);
  EXPECT_EQ(drained, 16);
  EXPECT_EQ(completed.back().tag, 1u);
}

TEST(ChannelController, ATurnaroundCostsTheClocksBetweenTheTwoDirectionsData) {
  const parts::hbm::DramParameters parameters = plain();
  const Finder find(parameters);
  const std::uint64_t read = find.address(0, 0, 0, 0, 0), write = find.address(0, 1, 0, 0, 0);
  ChannelController channel(parameters);
  clocks_of_one(channel, burst(Direction::write, write));
  wait(channel, 100);
  clocks_of_one(channel, burst(Direction::read, read));
  wait(channel, 100);
  const BusShares before = channel.shares();
  // A drain begins when only the write waits, and ends with it.
  channel.submit(burst(Direction::read, read, 1));
  std::vector<MemoryCompletion> completed;
  channel.advance(channel.now() + base::Cycles(1), completed);
  const std::int64_t start = channel.now().value() - 1;
  channel.submit(burst(Direction::write, write, 2));
  channel.advance(channel.now() + base::Cycles(1), completed);
  channel.submit(burst(Direction::read, read, 3));
  for (const MemoryCompletion& done : finish(channel)) completed.push_back(done);
  ASSERT_EQ(completed.size(), 3u);
  EXPECT_EQ(completed[0].clock.value() - start, 13 + 2);
  EXPECT_EQ(completed[1].clock.value() - start, 13 + 2 + 1 + 2);
  // Data of the write end; WTR_S to the read; CL.
  EXPECT_EQ(completed[2].clock.value() - start, 13 + 2 + 1 + 2 + 6 + 13 + 2);
  EXPECT_EQ(channel.shares().of(BusShare::turnaround) - before.of(BusShare::turnaround), base::Cycles(1 + 6 + 13));
}

struct Arrival {
  std::int64_t clock;
  MemoryRequest request;
};

// Requests of random sizes, close to each other so that rows are hit and banks collide; stalls between them.
std::vector<Arrival> random_traffic(unsigned seed, int count, std::int64_t longest_stall) {
  std::mt19937 random(seed);
  std::vector<Arrival> traffic;
  std::int64_t clock = 0;
  for (int i = 0; i < count; ++i) {
    if (random() % 4 == 0) clock += std::int64_t(random() % std::uint64_t(longest_stall));
    const std::uint64_t unit = random() % (random() % 2 == 0 ? 64 : 1 << 20), first = random() % 32;
    const std::int64_t bursts = random() % 2 == 0 ? 1 : 1 + std::int64_t(random() % (32 - first));
    traffic.push_back({clock,
                       {random() % 3 == 0 ? Direction::write : Direction::read, unit * 1024 + first * 32,
                        base::Bytes(bursts * 32), std::uint64_t(i)}});
  }
  return traffic;
}

// Offers every request from its clock, in order, and looks at the channel in the steps that `step` returns.
std::vector<MemoryCompletion> play(ChannelController& channel, const std::vector<Arrival>& traffic,
                                   const std::function<std::int64_t()>& step) {
  std::vector<MemoryCompletion> completed;
  for (const Arrival& arrival : traffic) {
    const auto move_to = [&](std::int64_t clock) {
      while (channel.now().value() < clock) {
        channel.advance(base::Cycles(std::min(clock, channel.now().value() + step())), completed);
      }
    };
    move_to(arrival.clock);
    while (!channel.accepts(arrival.request)) move_to(channel.next_room()->value());
    channel.submit(arrival.request);
  }
  while (const auto next = channel.next_completion()) channel.advance(*next, completed);
  return completed;
}

constexpr std::int64_t in_one_go = 1'000'000'000;

class EveryPolicy : public ::testing::TestWithParam<std::tuple<std::string, std::string, std::string, DramStandard>> {
 protected:
  parts::hbm::DramParameters parameters() const {
    const auto [page, refresh, order, standard] = GetParam();
    return standard.with({page, refresh, order, "hbm.starvation_bound_bursts=20"});
  }
};

std::string policy_name(const ::testing::TestParamInfo<EveryPolicy::ParamType>& test) {
  const auto [page, refresh, order, standard] = test.param;
  return std::string(standard.name) + "_" + name_of_settings({page, refresh, order});
}

INSTANTIATE_TEST_SUITE_P(
    ChannelController, EveryPolicy,
    ::testing::Combine(::testing::Values<std::string>("hbm.page_policy=open", "hbm.page_policy=closed"),
                       ::testing::Values<std::string>("hbm.refresh=none", "hbm.refresh=per_bank",
                                                      "hbm.refresh=all_bank"),
                       ::testing::Values<std::string>("hbm.address_order=row bank column bank_group pseudo_channel",
                                                      "hbm.address_order=row column pseudo_channel bank bank_group"),
                       ::testing::Values(hbm2, hbm3)),
    policy_name);

TEST_P(EveryPolicy, KeepsEveryRuleAndFinishesEveryRequestOnce) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    ChannelController channel(parameters());
    CommandChecker checker(parameters());
    channel.observe(&checker);
    const auto traffic = random_traffic(seed, 1500, 300);
    const auto completed = play(channel, traffic, [] { return in_one_go; });
    ASSERT_EQ(completed.size(), traffic.size());
    std::vector<int> answers(traffic.size());
    std::int64_t last = 0, bursts = 0;
    for (const MemoryCompletion& done : completed) {
      ++answers[done.tag];
      EXPECT_GE(done.clock.value(), last);
      last = done.clock.value();
      EXPECT_EQ(done.bytes, traffic[done.tag].request.bytes);
      EXPECT_EQ(done.direction, traffic[done.tag].request.direction);
      bursts += done.bytes.value() / 32;
    }
    EXPECT_EQ(answers, std::vector<int>(traffic.size(), 1));
    EXPECT_EQ(channel.bursts(), bursts);
    using enum DramCommand;
    EXPECT_EQ(
        checker.count(read) + checker.count(write) + checker.count(read_precharge) + checker.count(write_precharge),
        bursts);
    EXPECT_EQ(channel.activates(), checker.count(activate));
    EXPECT_EQ(channel.refreshes(), checker.count(refresh_bank) + checker.count(refresh_all));
    EXPECT_TRUE(channel.idle());
  }
}

TEST_P(EveryPolicy, DoesTheSameInWhateverStepsTimeMoves) {
  const auto traffic = random_traffic(7, 800, 3000);
  ChannelController at_once(parameters()), in_steps(parameters());
  std::mt19937 random(1);
  const auto expected = play(at_once, traffic, [] { return in_one_go; });
  const auto completed = play(in_steps, traffic, [&] { return 1 + std::int64_t(random() % 30); });
  ASSERT_EQ(completed.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(completed[i].tag, expected[i].tag);
    EXPECT_EQ(completed[i].clock, expected[i].clock);
  }
  EXPECT_EQ(in_steps.shares().clocks, at_once.shares().clocks);
}

TEST_P(EveryPolicy, GivesEveryClockOfTheDataPinsToExactlyOneShare) {
  const parts::hbm::DramOrganization organization = parameters().organization;
  ChannelController channel(parameters());
  const auto completed = play(channel, random_traffic(3, 1000, 100), [] { return in_one_go; });
  base::Cycles read, write;
  for (const MemoryCompletion& done : completed) {
    (done.direction == Direction::read ? read : write) += done.bytes / organization.burst * organization.burst_clocks;
  }
  const BusShares shares = channel.shares();
  EXPECT_EQ(shares.total(), channel.now() * 2);  // two pseudo-channels
  EXPECT_EQ(shares.of(BusShare::read), read);
  EXPECT_EQ(shares.of(BusShare::write), write);
  for (const base::Cycles share : shares.clocks) EXPECT_GE(share, base::Cycles(0));
  std::vector<MemoryCompletion> none;
  channel.advance(channel.now() + base::Cycles(1000), none);
  EXPECT_EQ(channel.shares().of(BusShare::idle) - shares.of(BusShare::idle), base::Cycles(2000));
}

TEST(ChannelController, RefreshesEveryBankOncePerIntervalLoadedOrNot) {
  for (const auto& [setting, steps] : {std::pair{"hbm.refresh=per_bank", 16}, std::pair{"hbm.refresh=all_bank", 1}}) {
    for (const int requests : {1, 20000}) {
      ChannelController channel(dram_with({setting}));
      play(channel, random_traffic(5, requests, 10), [] { return in_one_go; });
      // Past the last request, and to the middle between two refreshes.
      const std::int64_t intervals = channel.now().value() / 3510 + 2;
      std::vector<MemoryCompletion> none;
      channel.advance(base::Cycles(intervals * 3510 + 219), none);
      EXPECT_EQ(channel.refreshes(), 2 * intervals * steps) << setting;
    }
  }
}

TEST(ChannelController, ALongIdleTimeIsPassedAsIfItHadBeenWalkedThrough) {
  for (const char* setting : {"hbm.refresh=per_bank", "hbm.refresh=all_bank", "hbm.refresh=none"}) {
    std::vector<std::int64_t> clocks[2];
    for (const int walked : {0, 1}) {
      ChannelController channel(dram_with({setting}));
      for (int i = 0; i < 20; ++i) {
        channel.submit(burst(Direction::read, 0));
        clocks[walked].push_back(finish(channel).back().clock.value());
        const std::int64_t until = (i + 1) * 100'000 + i * 37;
        std::vector<MemoryCompletion> none;
        while (channel.now().value() < until) {
          channel.advance(walked == 1 ? channel.now() + base::Cycles(1) : base::Cycles(until), none);
        }
      }
      clocks[walked].push_back(channel.refreshes());
    }
    EXPECT_EQ(clocks[0], clocks[1]) << setting;
  }
}

TEST(ChannelController, ARequestThatMeetsARefreshWaitsForItsEnd) {
  ChannelController channel(dram_with({"hbm.refresh=all_bank"}));
  wait(channel, 3510 + 100);
  // Refresh 315 from clock 3510 on; then RCD, CL, data.
  EXPECT_EQ(clocks_of_one(channel, burst(Direction::read, 0)), 215 + 13 + 13 + 2);
  EXPECT_EQ(channel.shares().of(BusShare::refresh), base::Cycles(215));
  EXPECT_EQ(channel.shares().of(BusShare::row), base::Cycles(13));
}

}  // namespace
}  // namespace podsim::hw::memory::dram
