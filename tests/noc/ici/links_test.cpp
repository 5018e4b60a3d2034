// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/links.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "tests/noc/ici/slow_links.h"

namespace podsim::noc::ici {
namespace {

using base::Bytes;
using base::Time;

/// The notifications of a client about a message, and the links of its route.
struct Heard {
  Time taken, received;
  NodeId at = -1;
  Time told_taken, told_received;  ///< when the client was told
  struct Passed {
    LinkId link;
    LinkPassage passage;
  };
  std::vector<Passed> passed;
};

/// Drives the links by calls, as a client that keeps the time does.
struct Driver : IciClient, LinkObserver {
  explicit Driver(const FoldedTopology& topology, const Faults& faults = {}) : links(topology, slow_links(), faults) {
    links.observe(*this);
  }
  void send(Time when, const Message& message, Delivery delivery) {
    serve_until(when);
    now = when;
    links.send(message, *this, delivery, when);
  }
  void serve_until(Time end) {
    while (links.active() && links.next_due() <= end) {
      now = links.next_due();
      links.serve_next();
    }
  }
  void finish() {
    while (links.active()) serve_until(links.next_due());
  }

  void message_taken(NodeId, const Message& message, Time when) override {
    heard[message.tag].taken = when;
    heard[message.tag].told_taken = now;
  }
  void message_received(NodeId node, const Message& message, Time when) override {
    Heard& of = heard[message.tag];
    of.received = when;
    of.at = node;
    of.told_received = now;
    order.push_back(message.tag);
  }
  void link_taken(LinkId link, const LinkPassage& passage, const Message& message) override {
    heard[message.tag].passed.push_back({link, passage});
    by_link[link].push_back({message.tag, passage});
  }

  Links links;
  Time now;
  std::map<std::uint64_t, Heard> heard;
  std::vector<std::uint64_t> order;  ///< of receipts
  struct Served {
    std::uint64_t tag;
    LinkPassage passage;
  };
  std::map<LinkId, std::vector<Served>> by_link;
};

Message message_from(NodeId source, std::int32_t x, std::int32_t y, std::int64_t bytes, std::uint64_t tag) {
  return {.source = source, .hops = {x, y}, .bytes = Bytes(bytes), .tag = tag};
}

// 100 bytes of 1 ns each, and a hop of 300 ns.
TEST(Links, TellsAheadWhenAMessageWillHaveBeenTakenAndReceived) {
  Driver driver(Topology({2}, {false}));
  driver.send(Time(5), message_from(0, 1, 0, 100, 1), Delivery::ahead);
  EXPECT_EQ(driver.heard[1].taken, Time(100'005));
  EXPECT_EQ(driver.heard[1].received, Time(400'005));
  EXPECT_EQ(driver.heard[1].told_received, Time(5));
  EXPECT_FALSE(driver.links.active());
}

TEST(Links, TellsOfAMessageInTurnAtItsTime) {
  Driver driver(Topology({2}, {false}));
  driver.send(Time(5), message_from(0, 1, 0, 100, 1), Delivery::in_turn);
  EXPECT_EQ(driver.heard[1].told_taken, Time(5));
  EXPECT_EQ(driver.heard[1].at, -1);
  driver.finish();
  EXPECT_EQ(driver.heard[1].at, 1);
  EXPECT_EQ(driver.heard[1].received, Time(400'005));
  EXPECT_EQ(driver.heard[1].told_received, Time(400'005));
}

// The message along x- leaves first; both arrive at the chip in the middle at one time, that along x+ by the first
// port.
TEST(Links, MessagesInTurnComeInTheOrderOfThePortsByWhichTheyArrive) {
  Driver driver(Topology({3}, {false}));
  driver.send(Time(0), message_from(2, -1, 0, 100, 1), Delivery::in_turn);
  driver.send(Time(0), message_from(0, +1, 0, 100, 2), Delivery::in_turn);
  driver.finish();
  EXPECT_EQ(driver.heard[1].received, driver.heard[2].received);
  EXPECT_EQ(driver.order, (std::vector<std::uint64_t>{2, 1}));
}

TEST(Links, AMessageToItselfIsTakenAndReceivedAtOnce) {
  Driver driver(Topology({2}, {false}));
  driver.send(Time(10), message_from(1, 0, 0, 1000, 1), Delivery::ahead);
  driver.finish();
  EXPECT_EQ(driver.heard[1].taken, Time(10));
  EXPECT_EQ(driver.heard[1].received, Time(10));
  EXPECT_EQ(driver.heard[1].at, 1);
}

// Around the dead link go y+, then x+, x+ and y-: two routes of the dimension order, which software joins.
TEST(Links, AroundADeadLinkSoftwareRelaysAMessageThatIsToldOfAhead) {
  const Topology mesh({3, 2}, {false, false});
  const std::array fault{parse_fault("dead-link:(0,0)x+")};
  Driver driver(mesh, Faults(mesh, fault));
  driver.send(Time(0), message_from(0, 2, 0, 1000, 1), Delivery::ahead);
  driver.finish();
  driver.links.check();
  EXPECT_EQ(driver.heard[1].at, 2);
  EXPECT_EQ(driver.links.messages_relayed(), 1);
  // Four hops of 300 ns; each leg is serialised in 1 us, and software takes 700 ns between two.
  EXPECT_EQ(driver.heard[1].received, Time(4 * 300'000 + 2 * 1'000'000 + 700'000));
}

TEST(Links, TwoChipsThatNoLivingLinksJoinAreTheVerdict) {
  const Topology line({3}, {false});
  const std::array fault{parse_fault("dead-link:(1)x+")};
  Driver driver(line, Faults(line, fault));
  driver.send(Time(0), message_from(0, 2, 0, 1000, 1), Delivery::ahead);
  driver.finish();
  EXPECT_EQ(driver.heard[1].at, -1);
  EXPECT_THROW(driver.links.check(), base::SimulationError);
}

TEST(Links, TheVerdictNamesBothEndsOfTheMessage) {
  const Topology line({4}, {false});
  const std::array fault{parse_fault("dead-link:(0)x+")};
  Driver driver(line, Faults(line, fault));
  driver.send(Time(0), message_from(0, 1, 0, 1000, 1), Delivery::ahead);
  try {
    driver.links.check();
    FAIL() << "there is no route";
  } catch (const base::SimulationError& error) {
    const std::string names = line.name(0) + " and " + line.name(1);
    EXPECT_NE(std::string(error.what()).find(names), std::string::npos) << error.what();
  }
}

// Another link is dead: the message takes its one hop of 300 ns and 1 us, and no software.
TEST(Links, WithADeadLinkElsewhereAMessageIsNotRelayed) {
  const Topology mesh({3, 2}, {false, false});
  const std::array fault{parse_fault("dead-link:(0,0)x+")};
  for (const Delivery delivery : {Delivery::ahead, Delivery::in_turn}) {
    Driver driver(mesh, Faults(mesh, fault));
    driver.send(Time(0), message_from(1, 1, 0, 1000, 1), delivery);
    driver.send(Time(0), message_from(1, 0, 0, 1000, 2), delivery);
    driver.finish();
    EXPECT_EQ(driver.heard[1].at, 2);
    EXPECT_EQ(driver.heard[1].received, Time(1'300'000));
    EXPECT_EQ(driver.heard[2].at, 1) << "a message to itself";
    EXPECT_EQ(driver.heard[2].received, Time(0));
    EXPECT_EQ(driver.links.messages_relayed(), 0);
  }
}

// The first link takes 2 us for 1000 bytes, the second 1 us: the last byte is on it 300 ns after it has left the first.
TEST(Links, ATailArrivesNoEarlierThanASlowLinkLetsItGo) {
  const Topology line({3}, {false});
  const std::array fault{parse_fault("slow-link:(0)x+:0.5")};
  Driver driver(line, Faults(line, fault));
  driver.send(Time(0), message_from(0, 2, 0, 1000, 1), Delivery::ahead);
  driver.finish();
  EXPECT_EQ(driver.heard[1].received, Time(2'000'000 + 2 * 300'000));
}

// Both heads are at the chip in the middle after one hop, and go on along y+.
TEST(Links, HeadsThatArriveAtOneTimeTakeALinkInTheOrderOfTheirPorts) {
  Driver driver(Topology({3, 2}, {false, false}));
  driver.send(Time(0), message_from(2, -1, 1, 100, 1), Delivery::ahead);
  driver.send(Time(0), message_from(0, +1, 1, 100, 2), Delivery::ahead);
  driver.finish();
  EXPECT_EQ(driver.heard[2].received, Time(2 * 300'000 + 100'000));
  EXPECT_EQ(driver.heard[1].received, Time(2 * 300'000 + 2 * 100'000)) << "by the second port";
}

// The record has message 1 before message 2; the second time message 1 comes later and is waited for.
TEST(Links, FollowTheOrderOfARecord) {
  const FoldedTopology topology(Topology({3}, {false}));
  std::vector<ServiceOrder> orders;
  Driver first(topology);
  first.links.record(orders);
  first.send(Time(0), message_from(0, 2, 0, 100, 1), Delivery::ahead);
  first.send(Time(0), message_from(0, 1, 0, 100, 2), Delivery::ahead);
  first.finish();
  Driver second(topology);
  second.links.follow(orders, topology);
  second.send(Time(0), message_from(0, 1, 0, 100, 2), Delivery::ahead);
  second.send(Time(50'000), message_from(0, 2, 0, 100, 1), Delivery::ahead);
  second.finish();
  EXPECT_EQ(second.heard[1].received, Time(50'000 + 2 * 300'000 + 100'000));
  EXPECT_EQ(second.heard[2].received, Time(50'000 + 300'000 + 2 * 100'000));
}

// As above for the messages of channel 7; message 3 of another channel has the link meanwhile.
TEST(Links, FollowTheOrderOfAChannelAndTakeOthersAsTheyCome) {
  const auto on = [](std::uint32_t channel, Message message) {
    message.channel = channel;
    return message;
  };
  const FoldedTopology topology(Topology({3}, {false}));
  std::vector<ServiceOrder> orders;
  Driver first(topology);
  first.links.record(orders);
  first.send(Time(0), on(1, message_from(0, 2, 0, 100, 1)), Delivery::ahead);
  first.send(Time(0), on(1, message_from(0, 1, 0, 100, 2)), Delivery::ahead);
  first.finish();
  Driver second(topology);
  second.links.follow(7, orders, topology);
  second.send(Time(0), on(7, message_from(0, 1, 0, 100, 2)), Delivery::ahead);
  second.send(Time(0), on(9, message_from(0, 1, 0, 100, 3)), Delivery::ahead);
  second.send(Time(50'000), on(7, message_from(0, 2, 0, 100, 1)), Delivery::ahead);
  second.finish();
  EXPECT_EQ(second.heard[3].received, Time(300'000 + 100'000));
  EXPECT_EQ(second.heard[1].received, Time(100'000 + 2 * 300'000 + 100'000));
  EXPECT_EQ(second.heard[2].received, Time(200'000 + 300'000 + 100'000));
  second.links.forget(7);
  second.send(Time(1'000'000), on(7, message_from(0, 1, 0, 100, 4)), Delivery::ahead);
  EXPECT_EQ(second.heard[4].received, Time(1'000'000 + 300'000 + 100'000));
}

/// A message's links are those of its dimension-order route, its head is on each as soon as the link is free, and its
/// tail is at the end when the message is received.
void check_route(const Topology& torus, const Message& sent, Time when, const Heard& heard,
                 const std::map<LinkId, std::vector<Driver::Served>>& by_link) {
  const std::vector<Link> route = torus.route(sent.source, sent.hops);
  RC_ASSERT(heard.passed.size() == route.size());
  Time head = when, tail = when;
  for (std::size_t hop = 0; hop < route.size(); ++hop) {
    const auto& [link, passage] = heard.passed[hop];
    RC_ASSERT(link == route[hop].id);
    const auto& served = by_link.at(link);
    const auto own = std::ranges::find(served, sent.tag, &Driver::Served::tag);
    const Time free = own == served.begin() ? Time(0) : std::prev(own)->passage.tail_out;
    RC_ASSERT(passage.start == std::max(head, free));
    RC_ASSERT(passage.tail_out == std::max(passage.start + Time(1000 * sent.bytes.value()), tail));
    head = passage.start + Time(300'000);
    tail = passage.tail_out + Time(300'000);
  }
  RC_ASSERT(heard.taken == heard.passed.front().passage.tail_out);
  RC_ASSERT(heard.received == tail);
  RC_ASSERT(heard.at == torus.end(sent.source, sent.hops));
}

RC_GTEST_PROP(Links, EveryLinkServesHeadsInOrderOfArrivalAndIsNeverIdleWhileOneWaits, ()) {
  const Topology torus({4, 3}, {*rc::gen::arbitrary<bool>(), true});
  struct Sent {
    Time when;
    Message content;
  };
  std::vector<Sent> sent;
  Time when;
  for (std::uint64_t tag = 1; tag <= 60; ++tag) {
    when += Time(*rc::gen::element(0, 0, 50, 100, 300) * 1000);
    const NodeId source = *rc::gen::inRange(0, torus.nodes());
    const Coordinates hops = torus.offset(source, *rc::gen::inRange(0, torus.nodes()));
    if (hops == Coordinates{}) continue;
    sent.push_back({when, message_from(source, hops[0], hops[1], *rc::gen::element(1, 100, 200, 300), tag)});
  }
  Driver driver(torus);
  for (const Sent& one : sent) {
    driver.send(one.when, one.content, *rc::gen::element(Delivery::ahead, Delivery::in_turn));
  }
  driver.finish();
  for (const Sent& one : sent) {
    check_route(torus, one.content, one.when, driver.heard.at(one.content.tag), driver.by_link);
  }
  // Heads reach a link at the time at which they left the one before, plus a hop.
  for (const auto& [link, served] : driver.by_link) {
    Time last;
    for (const Driver::Served& turn : served) {
      const auto& passed = driver.heard.at(turn.tag).passed;
      const auto here = std::ranges::find(passed, link, &Heard::Passed::link);
      const auto message_sent = std::ranges::find(sent, turn.tag, [](const Sent& one) { return one.content.tag; });
      const Time head = here == passed.begin() ? message_sent->when : std::prev(here)->passage.head_at_next;
      RC_ASSERT(head >= last);
      last = head;
    }
  }
}

}  // namespace
}  // namespace podsim::noc::ici
