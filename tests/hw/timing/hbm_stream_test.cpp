// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "hw/memory/dram/stream_rates.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

struct Request {
  Direction direction;
  std::int64_t bytes;
  std::int64_t arrival;
};

std::vector<HbmStream::Completion> run(HbmStream& hbm, const std::vector<Request>& requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    hbm.submit(requests[i].direction, base::Bytes(requests[i].bytes), base::Cycles(requests[i].arrival), i);
  }
  std::vector<HbmStream::Completion> done;
  while (const auto next = hbm.next_completion()) hbm.advance(*next, done);
  return done;
}

std::int64_t last_cycle(const Machine& machine, const std::vector<Request>& requests) {
  HbmStream hbm(machine);
  return run(hbm, requests).back().cycle.value();
}

TEST(HbmStream, ALoneRequestMovesAtTheStreamRate) {
  EXPECT_EQ(last_cycle(round_machine(), {{Direction::read, 1000, 0}}), 10);
  EXPECT_EQ(last_cycle(round_machine(), {{Direction::write, 1000, 5}}), 15);
  EXPECT_EQ(last_cycle(round_machine(), {{Direction::read, 1001, 0}}),
            11);  // the first whole cycle after the last byte
}

// 100 B in a cycle, each direction through a port of 40 or of 60. Both directions together move 41.7 each at most.
TEST(HbmStream, NoDirectionMovesMoreThanItsPortOfTheSwitchPasses) {
  Machine machine = round_machine();
  machine.hbm.port_rate = base::Bandwidth(40e9);
  EXPECT_EQ(last_cycle(machine, {{Direction::read, 1000, 0}}), 25);
  EXPECT_EQ(last_cycle(machine, {{Direction::write, 1000, 5}}), 30);
  EXPECT_EQ(last_cycle(machine, {{Direction::read, 1000, 0}, {Direction::write, 1000, 0}}), 25);
  machine.hbm.port_rate = base::Bandwidth(60e9);
  EXPECT_EQ(last_cycle(machine, {{Direction::read, 1000, 0}, {Direction::write, 1000, 0}}), 24);
  EXPECT_EQ(last_cycle(machine, {{Direction::read, 2000, 0}, {Direction::write, 1000, 0}}), 41);
}

TEST(HbmStream, RequestsOfOneDirectionQueueWithoutLosingAFractionOfACycle) {
  std::vector<Request> requests(100, {Direction::read, 150, 0});
  EXPECT_EQ(last_cycle(round_machine(), requests), 150);
}

// A request first waits for the transfer's outstanding bytes at the memory, then it keeps its share of the rate.
TEST(HbmStream, ARequestAndATransferBesideItShareTheRate) {
  const Machine machine = round_machine();
  HbmStream hbm(machine);
  const std::int64_t outstanding = HbmStream::outstanding(machine).value();
  std::vector<HbmStream::Completion> done;
  hbm.submit_beside({Direction::read, base::Bytes(1'000'000), base::Cycles(0)});
  hbm.submit(Direction::read, base::Bytes(100'000), base::Cycles(0), 1);
  const double share = hbm.shares({true, false, true, false})[0];
  EXPECT_NEAR(double(hbm.next_completion()->value()), double(outstanding) / 100 + 1000 / share, 1);
  while (const auto next = hbm.next_completion()) hbm.advance(*next, done);
  EXPECT_EQ(done.size(), 1U);  // the transfer has no completion
  EXPECT_TRUE(hbm.idle());
}

RC_GTEST_PROP(HbmStream, TransfersBesideRequestsLoseNoTime, ()) {
  const Machine machine = round_machine();
  HbmStream hbm(machine);
  std::int64_t bytes = 0;
  for (std::int64_t i = *rc::gen::inRange(1, 10); i > 0; --i) {
    const std::int64_t size = *rc::gen::inRange(1, 1'000'000);
    bytes += size;
    const bool beside = *rc::gen::arbitrary<bool>();
    if (beside) hbm.submit_beside({Direction::read, base::Bytes(size), base::Cycles(0)});
    if (!beside) hbm.submit(Direction::read, base::Bytes(size), base::Cycles(0), 1);
  }
  std::vector<HbmStream::Completion> done;
  std::int64_t last = 0;
  while (const auto next = hbm.next_completion()) {
    last = next->value();
    hbm.advance(*next, done);
  }
  // Two engines together move at least the bytes that the banks allow, and never more than one alone.
  const HbmStream::Shares shares = hbm.shares({true, false, true, false});
  const double pure = double(bytes) / 100;
  RC_ASSERT(double(last) >= pure - 1 && double(last) <= pure / std::min(1.0, shares[0] + shares[2]) +
                                                            double(HbmStream::outstanding(machine).value()) / 100 + 20);
}

// By symmetry two engines that do the same have the same, and the pins carry no more for two of them.
TEST(HbmStream, EnginesThatDoTheSameShareEvenly) {
  HbmStream hbm(tpu_v3());
  for (const auto& [reads, writes] : {std::pair(true, false), {false, true}, {true, true}}) {
    const HbmStream::Shares shares = hbm.shares({reads, writes, reads, writes});
    for (const std::size_t d : {0, 1}) {
      EXPECT_NEAR(shares[d], shares[2 + d], 0.06 * shares[d]);
      EXPECT_LE(shares[d] + shares[2 + d], 1.05);
    }
  }
}

// Where transfers are known ahead, the request moves as when they come while it waits, before the cycle in which they
// arrive: the order of a request and a transfer of one cycle is the order in which they come.
RC_GTEST_PROP(HbmStream, TransfersThatAreKnownAheadAreNoOthers, ()) {
  const Machine machine = round_machine();
  HbmStream ahead(machine), in_time(machine);
  std::vector<HbmStream::Beside> transfers;
  base::Cycles now;
  for (std::int64_t i = *rc::gen::inRange(0, 6); i > 0; --i) {
    now += base::Cycles(*rc::gen::inRange<std::int64_t>(0, 5000));
    transfers.push_back(
        {*rc::gen::element(Direction::read, Direction::write), base::Bytes(*rc::gen::inRange(1, 300'000)), now});
  }
  const auto bytes = base::Bytes(*rc::gen::inRange(1, 2'000'000));
  for (const HbmStream::Beside& transfer : transfers) ahead.submit_beside(transfer);
  std::vector<HbmStream::Completion> first, second;
  for (HbmStream* stream : {&ahead, &in_time}) {
    stream->submit(Direction::read, bytes, base::Cycles(100), 1);
    stream->submit(Direction::write, bytes, base::Cycles(3000), 2);
  }
  for (const HbmStream::Beside& transfer : transfers) {
    in_time.advance(std::max(base::Cycles(0), transfer.arrival - base::Cycles(1)), second);
    in_time.submit_beside(transfer);
  }
  const auto end = base::Cycles(std::int64_t(1) << 30);
  ahead.advance(end, first);
  in_time.advance(end, second);
  RC_ASSERT(first.size() == 2U && second.size() == 2U);
  for (const std::size_t i : {0, 1}) RC_ASSERT(first[i].cycle == second[i].cycle && first[i].tag == second[i].tag);
}

TEST(HbmStream, ARequestWithoutBytesCompletesOnArrival) {
  EXPECT_EQ(last_cycle(round_machine(), {{Direction::read, 0, 7}}), 7);
}

TEST(HbmStream, EqualStreamsCost12AndTwoToOne1133OfThePureTime) {
  const Machine machine = tpu_v3();
  const double rate = machine.hbm.stream_rate.si() / machine.clock.si();
  const std::int64_t size = 1 << 20;
  std::vector<Request> equal, reads_double;
  for (int i = 0; i < 30; ++i) {
    equal.push_back({Direction::read, size, 0});
    equal.push_back({Direction::write, size, 0});
    reads_double.push_back({Direction::read, 2 * size, 0});
    reads_double.push_back({Direction::write, size, 0});
  }
  EXPECT_NEAR(double(last_cycle(machine, equal)) * rate / double(60 * size), 1.200, 2e-3);
  EXPECT_NEAR(double(last_cycle(machine, reads_double)) * rate / double(90 * size), 1.0 + 0.4 / 3, 2e-3);
}

RC_GTEST_PROP(HbmStream, StreamsAlwaysAvailableTakeTheSumPlusTheTurnaroundOfTheLesser, ()) {
  base::Config config = machine_file("tpu-v3");
  config.set("hbm.turnaround=" + std::to_string(*rc::gen::inRange(0, 2000) / 1000.0));
  config.set("hbm.write_cost=" + std::to_string(*rc::gen::inRange(500, 2000) / 1000.0));
  const Machine machine = read_machine(config);
  const auto reads = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1 << 22));
  const auto writes = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1 << 22));
  RC_PRE(!reads.empty() || !writes.empty());
  std::vector<Request> requests;
  double r = 0, w = 0;
  for (int bytes : reads) requests.push_back({Direction::read, bytes, 0}), r += bytes;
  for (int bytes : writes) requests.push_back({Direction::write, bytes, 0}), w += bytes;
  const double rate = machine.hbm.stream_rate.si() / machine.clock.si();
  const double written_alone = std::max(0.0, w - r) * (machine.hbm.write_cost - 1);
  const double expected = (r + w + machine.hbm.turnaround * std::min(r, w) + written_alone) / rate;
  const double cycles = double(last_cycle(machine, requests));
  RC_ASSERT(cycles >= expected * (1 - 1e-5) - 1);
  RC_ASSERT(cycles <= expected * (1 + 1e-5) + 1);
}

/// The slower reference: the same fluid law in steps of 1/256 cycle, with no event arithmetic at all.
std::vector<std::int64_t> stepped(const Machine& machine, const std::vector<Request>& requests) {
  constexpr int steps = 256;
  const double rate = machine.hbm.stream_rate.si() / machine.clock.si() / steps;
  std::vector<std::int64_t> done(requests.size(), -1);
  std::deque<std::size_t> queue[2];
  std::vector<double> left;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    queue[std::size_t(requests[i].direction)].push_back(i);
    left.push_back(double(requests[i].bytes));
  }
  for (std::int64_t t = 0; !queue[0].empty() || !queue[1].empty(); ++t) {
    const auto moving = [&](auto& q) { return !q.empty() && requests[q.front()].arrival * steps <= t; };
    const bool both = moving(queue[0]) && moving(queue[1]);
    for (auto& q : queue) {
      if (!moving(q)) continue;
      left[q.front()] -= both ? rate / (2 + machine.hbm.turnaround) : rate;
      if (left[q.front()] > 0) continue;
      done[q.front()] = t / steps + 1;
      q.pop_front();
    }
  }
  return done;
}

RC_GTEST_PROP(HbmStream, AgreesWithASimulationInSmallSteps, ()) {
  const Machine machine = round_machine();
  std::vector<Request> requests;
  std::int64_t arrival[2] = {0, 0};
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    const std::size_t direction = *rc::gen::inRange<std::size_t>(0, 2);
    arrival[direction] += *rc::gen::inRange<std::int64_t>(0, 60);
    requests.push_back({Direction(direction), *rc::gen::inRange<std::int64_t>(1, 5000), arrival[direction]});
  }
  HbmStream hbm(machine);
  const std::vector<std::int64_t> reference = stepped(machine, requests);
  for (const HbmStream::Completion& completion : run(hbm, requests)) {
    RC_ASSERT(std::abs(completion.cycle.value() - reference[completion.tag]) <= 1);
    RC_ASSERT(completion.bytes.value() == requests[completion.tag].bytes);
  }
}

RC_GTEST_PROP(HbmStream, DoesNotDependOnAbsoluteTimeNorOnHowOftenItIsAdvanced, ()) {
  const Machine machine = tpu_v3();
  std::vector<Request> requests;
  std::int64_t arrival[2] = {0, 0};
  const int count = *rc::gen::inRange(1, 20);
  for (int i = 0; i < count; ++i) {
    const std::size_t direction = *rc::gen::inRange<std::size_t>(0, 2);
    arrival[direction] += *rc::gen::inRange<std::int64_t>(0, 500);
    requests.push_back({Direction(direction), *rc::gen::inRange<std::int64_t>(0, 300'000), arrival[direction]});
  }
  const std::int64_t shift = *rc::gen::inRange<std::int64_t>(0, 100'000'000'000);
  std::vector<Request> later = requests;
  for (Request& request : later) request.arrival += shift;
  HbmStream hbm(machine), shifted(machine);
  const auto first = run(hbm, requests);
  for (std::size_t i = 0; i < later.size(); ++i) {
    shifted.submit(later[i].direction, base::Bytes(later[i].bytes), base::Cycles(later[i].arrival), i);
  }
  std::vector<HbmStream::Completion> second;
  for (std::int64_t cycle = shift; !shifted.idle(); cycle += *rc::gen::inRange<std::int64_t>(1, 3000)) {
    shifted.advance(base::Cycles(cycle), second);
  }
  RC_ASSERT(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    RC_ASSERT(second[i].cycle.value() - shift == first[i].cycle.value());
    RC_ASSERT(second[i].tag == first[i].tag);
  }
}

TEST(HbmStream, SaysWhatMovesAndHowFast) {
  HbmStream hbm(round_machine());
  std::vector<HbmStream::Completion> done;
  hbm.submit(Direction::read, base::Bytes(1000), base::Cycles(0), 0);
  hbm.submit(Direction::write, base::Bytes(100), base::Cycles(2), 1);
  hbm.advance(base::Cycles(1), done);
  EXPECT_TRUE(hbm.active(Direction::read));
  EXPECT_FALSE(hbm.active(Direction::write));
  EXPECT_NEAR(hbm.bytes_per_cycle(), 100, 1e-6);
  hbm.advance(base::Cycles(3), done);
  EXPECT_TRUE(hbm.active(Direction::write));
  EXPECT_NEAR(hbm.bytes_per_cycle(), 200 / 2.4, 1e-6);
  hbm.advance(base::Cycles(50), done);
  EXPECT_EQ(hbm.bytes_per_cycle(), 0);
  EXPECT_EQ(hbm.busy(), base::Cycles(11));  // 1100 bytes and 100 * 0.4 of turnaround, 11.4 cycles
  EXPECT_EQ(done.size(), 2u);
}

TEST(HbmStream, AShapeMovesAtTheRateOfTheBanksForIt) {
  const Machine machine = tpu_v3();
  const AccessShape shape = AccessShape::rows(base::Bytes(512), 2048);
  HbmStream hbm(machine);
  hbm.submit(Direction::read, base::Bytes(1 << 20), base::Cycles(0), 0, shape);
  const double expected =
      double(1 << 20) /
      memory::dram::StreamRates(machine.dram, machine.dma.granules).alone(Direction::read, shape).si() *
      machine.clock.si();
  EXPECT_NEAR(double(hbm.next_completion()->value()), expected, 1);
}

TEST(HbmStream, ShapesSideBySideMoveAtTheirRatesUntilOneOfThemEnds) {
  const Machine machine = tpu_v3();
  const AccessShape lookups = AccessShape::scattered(base::Bytes(128), base::Bytes(1 << 28));
  HbmStream hbm(machine);
  hbm.submit(Direction::read, base::Bytes(1 << 20), base::Cycles(0), 0, lookups);
  hbm.submit(Direction::write, base::Bytes(1 << 20), base::Cycles(0), 1);
  const auto together = memory::dram::StreamRates(machine.dram, machine.dma.granules).together(lookups, {});
  const double first = double(1 << 20) / std::max(together[0], together[1]).si();
  const bool write_first = together[1] > together[0];
  const double left = double(1 << 20) - first * std::min(together[0], together[1]).si();
  const double alone =
      write_first ? memory::dram::StreamRates(machine.dram, machine.dma.granules).alone(Direction::read, lookups).si()
                  : machine.hbm.stream_rate.si() / machine.hbm.write_cost;
  std::vector<HbmStream::Completion> done;
  while (!hbm.idle()) hbm.complete_next(done);
  EXPECT_NEAR(double(done[0].cycle.value()), first * machine.clock.si(), 1);
  EXPECT_NEAR(double(done[1].cycle.value()), (first + left / alone) * machine.clock.si(), 2);
}

}  // namespace
}  // namespace podsim::hw::timing
