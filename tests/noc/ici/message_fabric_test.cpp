// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/message_fabric.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/systemc/fresh_context.h"
#include "tests/noc/ici/slow_links.h"
#include "tests/noc/network_bench.h"

namespace podsim::noc::ici {
namespace {

using base::Bytes;
using base::Time;

struct Bench : NetworkBench<MessageFabric> {
  explicit Bench(const FoldedTopology& topology, base::trace::ProbeSink* sink = nullptr, const Faults& faults = {})
      : NetworkBench(topology.representatives().nodes(), topology, slow_links(), sink, faults) {}
};

Message message(std::int32_t x, std::int32_t y, std::int64_t bytes, std::uint64_t tag) {
  return {.hops = {x, y}, .bytes = Bytes(bytes), .tag = tag};
}

TEST(MessageFabric, LatencyAddsAlongThePathAndSerialisationCountsOnce) {
  Bench bench(Topology({4, 4}, {false, false}));
  bench.plan = {{Time(0), 0, message(2, 1, 100, 7)}};
  sc_core::sc_start();
  // Three hops of 300 ns and 100 bytes of 1 ns.
  EXPECT_EQ(bench.received.at(7), (Bench::Seen{6, Time(1000000)}));
  EXPECT_EQ(bench.taken.at(7), (Bench::Seen{0, Time(100000)}));
  EXPECT_EQ(bench.fabric.links().hops(), 3);
}

TEST(MessageFabric, TwoMessagesOverOneLinkAreServedInOrderOfArrival) {
  Bench bench(Topology({3, 1}, {false, false}));
  // The message from node 0 reaches the link 1 -> 2 at 300 ns; the local one came at 250 ns and holds it until 350 ns.
  bench.plan = {{Time(0), 0, message(2, 0, 100, 1)}, {Time(250000), 1, message(1, 0, 100, 2)}};
  sc_core::sc_start();
  EXPECT_EQ(bench.received.at(2).when, Time(650000));
  EXPECT_EQ(bench.received.at(1).when, Time(750000));
}

TEST(MessageFabric, AtOneTimeTheMessageOnItsWayGoesBeforeTheLocalOne) {
  Bench bench(Topology({3, 1}, {false, false}));
  bench.plan = {{Time(0), 0, message(2, 0, 100, 1)}, {Time(300000), 1, message(1, 0, 100, 2)}};
  sc_core::sc_start();
  EXPECT_EQ(bench.received.at(1).when, Time(700000));
  EXPECT_EQ(bench.received.at(2).when, Time(800000));
}

TEST(MessageFabric, ASenderSeesBackPressureWhenItsLinkIsTaken) {
  Bench bench(Topology({2, 2}, {false, false}));
  bench.plan = {
      {Time(0), 0, message(1, 0, 100, 1)}, {Time(0), 0, message(1, 0, 100, 2)}, {Time(0), 0, message(0, 1, 100, 3)}};
  sc_core::sc_start();
  EXPECT_EQ(bench.taken.at(1).when, Time(100000));
  EXPECT_EQ(bench.taken.at(2).when, Time(200000));
  EXPECT_EQ(bench.taken.at(3).when, Time(100000));  // another link
}

TEST(MessageFabric, SaturatedLinkCarriesThePayloadRate) {
  Bench bench(Topology({2}, {false}));
  for (std::uint64_t i = 0; i < 50; ++i) bench.plan.push_back({Time(0), 0, message(1, 0, 1000, i)});
  sc_core::sc_start();
  EXPECT_EQ(base::systemc::now(), Time(50 * 1000000 + 300000));
  EXPECT_EQ(bench.fabric.links().link(0).busy(), Time(50 * 1000000));
}

TEST(MessageFabric, AMessageToItselfArrivesAtOnce) {
  Bench bench(Topology({2}, {false}));
  bench.plan = {{Time(10), 0, message(0, 0, 1000, 1)}};
  sc_core::sc_start();
  EXPECT_EQ(bench.received.at(1), (Bench::Seen{0, Time(10)}));
  EXPECT_EQ(bench.taken.at(1).when, Time(10));
}

TEST(MessageFabric, APodBoundaryAddsItsLatency) {
  Bench bench(Topology({4, 1}, {false, false}, 2));
  bench.plan = {{Time(0), 1, message(1, 0, 100, 1)}};
  sc_core::sc_start();
  EXPECT_EQ(bench.received.at(1).when, Time(650000));
}

// Symmetric traffic, the same plan at every coordinate of y, on 4 x 8 with y wrapped: the representative's messages
// must be received at the same times as those of each of its translates.
//
// Among messages sent at the same time, the plan takes the coordinates of y in a different order each time: only the
// order within a node may decide.
std::vector<Planned> symmetric_plan(const std::vector<Planned>& base, const Topology& full, bool folded) {
  if (folded) return base;
  std::vector<Planned> plan;
  for (auto group = base.begin(); group != base.end();) {
    auto end = std::find_if(group, base.end(), [&](const Planned& p) { return p.when != group->when; });
    std::int32_t rotation = *rc::gen::inRange(0, full.size(1));
    for (std::int32_t i = 0; i < full.size(1); ++i) {
      std::int32_t y = (i + rotation) % full.size(1);
      for (auto next = group; next != end; ++next) {
        Planned translate = *next;
        translate.node = next->node + y * full.size(0);
        translate.message.tag = next->message.tag + std::uint64_t(1000 * y);
        plan.push_back(translate);
      }
    }
    group = end;
  }
  return plan;
}

TEST(MessageFabric, FoldedTrafficArrivesAtTheTimesOfTheUnfoldedOne) {
  const bool ok = rc::check([] {
    Topology full({4, 8}, {false, true});
    std::vector<Planned> base;
    std::int64_t when = 0;
    for (std::uint64_t tag = 0; tag < 40; ++tag) {
      when += *rc::gen::element(0, 0, 100, 300) * 1000;
      std::int32_t x = *rc::gen::inRange(0, 4);
      base.push_back(
          {Time(when), x,
           message(*rc::gen::inRange(0, 4) - x, *rc::gen::inRange(-4, 5), *rc::gen::element(100, 200, 300), tag)});
    }
    auto run = [&](FoldedTopology topology) {
      const base::systemc::FreshContext context;
      bool folded = topology.is_folded();
      Bench bench(topology);
      bench.plan = symmetric_plan(base, full, folded);
      sc_core::sc_start();
      return std::pair(bench.received, bench.taken);
    };
    auto [received, taken] = run(full);
    auto [folded_received, folded_taken] = run(FoldedTopology::fold_all(full));
    RC_ASSERT(folded_received.size() == base.size());
    RC_ASSERT(received.size() == base.size() * 8);
    for (const auto& [tag, seen] : received) {
      RC_ASSERT(seen.when == folded_received.at(tag % 1000).when);
      RC_ASSERT(taken.at(tag).when == folded_taken.at(tag % 1000).when);
    }
  });
  EXPECT_TRUE(ok);
}

struct Recorder : base::trace::ProbeSink {
  bool wants(std::string_view name) const override { return name.starts_with("chip(0,0).ici.x_plus"); }
  int declare(std::string_view, std::string_view name, base::trace::SignalKind, int) override {
    names.emplace_back(name);
    return int(names.size()) - 1;
  }
  void change(int id, Time now, std::int64_t value) override { note(id, now, std::to_string(value)); }
  void change(int id, Time now, double value) override { note(id, now, std::to_string(value)); }
  void change(int id, Time now, std::string_view value) override { note(id, now, std::string(value)); }
  void note(int id, Time now, const std::string& value) {
    changes.push_back(names[id] + "@" + std::to_string(now.value() / 1000) + "=" + value);
  }
  void expect(Time at, base::trace::Forecast& forecast) override { forecasts.push(at, forecast); }
  void keep(std::shared_ptr<base::trace::Forecast> forecast) override { forecasts.keep(std::move(forecast)); }
  std::vector<std::string> names, changes;
  base::trace::ForecastQueue forecasts;
};

TEST(MessageFabric, AWantedLinkShowsWhenItIsBusyAndWithWhat) {
  Recorder recorder;
  Bench bench(Topology({2, 2}, {false, false}), &recorder);
  bench.plan = {{Time(50000), 0, message(1, 0, 100, 1)}, {Time(50000), 0, message(0, 1, 100, 2)}};
  sc_core::sc_start();
  recorder.forecasts.show_before(Time(1'000'000));
  EXPECT_EQ(recorder.changes, (std::vector<std::string>{"message@0=", "busy@0=0", "message@50=100 B", "busy@50=1",
                                                        "message@150=", "busy@150=0"}));
}

TEST(MessageFabric, ItsSocketsAreClosedWhileAClientDrivesItsLinks) {
  Bench bench(Topology({2}, {false}));
  Links& links = bench.fabric.look_ahead();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_THROW(bench.ports[0].send(message(1, 0, 100, 1)), std::logic_error);
  EXPECT_FALSE(links.active());
}

TEST(MessageFabric, NobodyLooksAheadOfTheSignalsOfLinks) {
  Recorder recorder;
  Bench bench(Topology({2}, {false}), &recorder);
  EXPECT_THROW(bench.fabric.look_ahead(), std::logic_error);
}

// The time of a message of 5440 bytes over one link, 5.44 us at the full rate.
Time with_fault(std::string_view text) {
  const base::systemc::FreshContext context;
  const Topology line({2}, {false});
  const std::array faults{parse_fault(text)};
  Bench bench(line, nullptr, Faults(line, faults));
  bench.plan = {{Time(0), 0, message(1, 0, 5440, 1)}};
  sc_core::sc_start();
  return bench.received.at(1).when - Time(300000);
}

TEST(MessageFabric, BitErrorsSendTheShareOfDamagedPacketsTwice) {
  // 512 bytes and a header of 32 are 4352 bits; each is right with 1 - p.
  for (double rate : {1e-6, 1e-4}) {
    const double right = std::pow(1 - rate, 4352);
    EXPECT_NEAR(double(with_fault("bit-errors:" + std::to_string(rate)).value()), 5.44e6 / right, 1) << rate;
  }
}

TEST(MessageFabric, ASlowLinkAndOneThatStallsTakeTheirShareOfTheRate) {
  EXPECT_EQ(with_fault("slow-link:(0)x+:0.25"), Time(4 * 5440000));
  EXPECT_EQ(with_fault("stalls:0.5"), Time(2 * 5440000));
}

TEST(MessageFabric, AFullMultipodElaborates) {
  Bench bench(Topology({128, 32}, {false, true}, 32));
  bench.plan = {{Time(0), 0, message(127, -1, 100, 1)}};
  sc_core::sc_start();
  EXPECT_EQ(bench.received.at(1).when, Time(128 * 300000 + 3 * 250000 + 100000));
}

}  // namespace
}  // namespace podsim::noc::ici
