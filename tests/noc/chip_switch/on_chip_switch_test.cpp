// SPDX-License-Identifier: Apache-2.0
#include "noc/chip_switch/on_chip_switch.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "base/systemc/fresh_context.h"
#include "base/systemc/systemc_time.h"
#include "tests/noc/chip_switch/wide_switch.h"

namespace podsim::noc::chip_switch {
namespace {

using base::Bytes;
using base::Cycles;
using base::Time;

/// A payload with its route that counts how often it has been answered.
struct Request {
  Request(tlm::tlm_mm_interface& memory, int port, bool write, int bytes) : payload(&memory), route(port) {
    payload.set_extension(&route);
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_data_length(unsigned(bytes));
    payload.acquire();
  }
  ~Request() { payload.clear_extension(&route); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  tlm::tlm_generic_payload payload;
  SwitchRoute route;
  int served = 0, answered = 0;
  Time served_at, answered_at;
};

/// A unit at a port: sends one request after the other as fast as possible, and answers those of others after
/// `latency`, one at a time. With a seed it waits at random before it takes a request.
class Unit : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(Unit);
  Unit(sc_core::sc_module_name name, OnChipSwitch& chip_switch, int port, Time latency = Time(0),
       std::uint32_t seed = 0)
      : sc_module(name), latency_(latency), random_(seed), stalls_(seed != 0) {
    to_switch.register_nb_transport_bw(this, &Unit::backward);
    from_switch.register_nb_transport_fw(this, &Unit::forward);
    to_switch.bind(chip_switch.in(port));
    chip_switch.out(port).bind(from_switch);
    SC_METHOD(send);
    sensitive << send_;
    dont_initialize();
    SC_METHOD(take);
    sensitive << take_;
    dont_initialize();
    SC_METHOD(answer);
    sensitive << answer_;
    dont_initialize();
  }

  tlm_utils::simple_initiator_socket<Unit> to_switch{"to_switch"};
  tlm_utils::passthrough_target_socket<Unit> from_switch{"from_switch"};

  Request& ask(int port, bool write, int bytes) {
    requests.emplace_back(*this, port, write, bytes);
    by_payload_[&requests.back().payload] = &requests.back();
    send_.notify(sc_core::SC_ZERO_TIME);
    return requests.back();
  }
  std::deque<Request> requests;
  std::size_t sent = 0;

  /// Lets any unit find the owner of a payload.
  static Request& of(tlm::tlm_generic_payload& payload) { return *by_payload_.at(&payload); }

 private:
  void free(tlm::tlm_generic_payload*) override {}

  void send() {
    while (!waiting_ && sent < requests.size()) {
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      const auto status = to_switch->nb_transport_fw(requests[sent].payload, phase, delay);
      ++sent;
      waiting_ = status == tlm::TLM_ACCEPTED;
    }
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_REQ) {
      EXPECT_TRUE(std::exchange(waiting_, false));
      send_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_ACCEPTED;
    }
    ++of(payload).answered;
    of(payload).answered_at = base::systemc::now();
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_RESP) {
      EXPECT_TRUE(std::exchange(answering_, false));
      answer_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    EXPECT_EQ(untaken_, nullptr);
    ++of(payload).served;
    of(payload).served_at = base::systemc::now();
    if (stalls_ && random_() % 2 == 0) {
      untaken_ = &payload;
      take_.notify(sc_core::sc_time(double(random_() % 40'000), sc_core::SC_PS));
      return tlm::TLM_ACCEPTED;
    }
    enqueue(payload);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void take() {
    tlm::tlm_generic_payload& payload = *std::exchange(untaken_, nullptr);
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    from_switch->nb_transport_bw(payload, phase, delay);
    enqueue(payload);
  }
  void enqueue(tlm::tlm_generic_payload& payload) {
    answers_.push_back({base::systemc::now() + latency_, &payload});
    answer_.notify(
        base::systemc::to_sc_time(answers_.front().first - std::min(base::systemc::now(), answers_.front().first)));
  }
  void answer() {
    while (!answering_ && !answers_.empty() && answers_.front().first <= base::systemc::now()) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      answering_ = from_switch->nb_transport_bw(*answers_.front().second, phase, delay) == tlm::TLM_ACCEPTED;
      answers_.pop_front();
    }
    if (!answering_ && !answers_.empty())
      answer_.notify(base::systemc::to_sc_time(answers_.front().first - base::systemc::now()));
  }

  static inline std::map<tlm::tlm_generic_payload*, Request*> by_payload_;
  Time latency_;
  std::mt19937 random_;
  bool stalls_;
  bool waiting_ = false, answering_ = false;
  tlm::tlm_generic_payload* untaken_ = nullptr;
  std::deque<std::pair<Time, tlm::tlm_generic_payload*>> answers_;
  sc_core::sc_event send_, take_, answer_;
};

TEST(OnChipSwitch, AReadTakesItsRequestTheTargetAndItsData) {
  OnChipSwitch chip_switch("switch", wide, base::Frequency(1e9), 2);
  Unit asker("asker", chip_switch, 0), target("target", chip_switch, 1, Time(100'000));
  const Request& read = asker.ask(1, false, 1024);
  sc_core::sc_start();
  EXPECT_EQ(read.served_at, Time(11'000));                       // one cycle of header and ten of crossing
  EXPECT_EQ(read.answered_at, Time(11'000 + 100'000 + 12'000));  // two cycles of data and ten
}

TEST(OnChipSwitch, AWriteCarriesItsDataThereAndNoneBack) {
  OnChipSwitch chip_switch("switch", wide, base::Frequency(1e9), 2);
  Unit asker("asker", chip_switch, 0), target("target", chip_switch, 1, Time(100'000));
  const Request& write = asker.ask(1, true, 1024);
  sc_core::sc_start();
  EXPECT_EQ(write.served_at, Time(12'000));
  EXPECT_EQ(write.answered_at, Time(12'000 + 100'000 + 11'000));
}

TEST(OnChipSwitch, CountsCyclesOfItsClockFromTheNextEdge) {
  // At 940 MHz edge n is at n / 0.94 ns, rounded once. 100 ns lie between edges 93 and 95: the request enters at 94.
  const base::Clock clock(base::Frequency(940e6));
  OnChipSwitch chip_switch("switch", wide, clock.frequency(), 2);
  Unit asker("asker", chip_switch, 0), target("target", chip_switch, 1, Time(50'000));
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  const Request& read = asker.ask(1, false, 512);
  sc_core::sc_start();
  EXPECT_EQ(read.served_at, clock.time_of(Cycles(94 + 11)));
  const Cycles answer = clock.edge_at_or_after(read.served_at + Time(50'000));
  EXPECT_EQ(read.answered_at, clock.time_of(answer + Cycles(11)));
}

TEST(OnChipSwitch, ReadsStreamAtThePortsWidth) {
  OnChipSwitch chip_switch("switch", wide, base::Frequency(1e9), 2);
  Unit asker("asker", chip_switch, 0), target("target", chip_switch, 1);
  for (int i = 0; i < 500; ++i) asker.ask(1, false, 1024);
  sc_core::sc_start();
  // The first request arrives after 11 cycles; its data and all others' take two cycles each, and the crossing 10.
  EXPECT_EQ(asker.requests.back().answered_at, Time((11 + 2 * 500 + 10) * 1000));
}

TEST(OnChipSwitch, HoldsEndReqBackWhileTheQueueIsFull) {
  OnChipSwitch chip_switch("switch", {.bytes_per_cycle = 512, .crossing_latency = Cycles(10), .queue_packets = 4},
                           base::Frequency(1e9), 2);
  Unit asker("asker", chip_switch, 0), target("target", chip_switch, 1);
  for (int i = 0; i < 10; ++i) asker.ask(1, true, 51'200);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
  // One crosses for 100 cycles, four wait in the queue, one at its input.
  EXPECT_EQ(asker.sent, 6u);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  EXPECT_EQ(asker.sent, 7u);
  sc_core::sc_start();
  for (const Request& request : asker.requests) EXPECT_EQ(request.answered, 1);
}

TEST(OnChipSwitch, LosesAndDuplicatesNothingWhileTargetsStallAtRandom) {
  for (const std::int64_t depth : {1, 2, 16}) {
    SCOPED_TRACE(depth);
    const base::systemc::FreshContext context;
    const std::string name = "depth" + std::to_string(depth);
    OnChipSwitch chip_switch(name.c_str(),
                             {.bytes_per_cycle = 512, .crossing_latency = Cycles(3), .queue_packets = depth},
                             base::Frequency(940e6), 9);
    std::deque<Unit> units;
    for (int port = 0; port < 9; ++port) {
      units.emplace_back((name + "_unit" + std::to_string(port)).c_str(), chip_switch, port, Time(port * 7'000),
                         std::uint32_t(depth * 100 + port + 1));
    }
    std::mt19937 random(std::uint32_t(depth) + 7);
    for (Unit& unit : units) {
      for (int i = 0; i < 2000; ++i) unit.ask(int(random() % 9), random() % 2 == 0, int(random() % 2048));
    }
    sc_core::sc_start();
    for (const Unit& unit : units) {
      Time last;
      for (const Request& request : unit.requests) {
        ASSERT_EQ(request.served, 1);
        ASSERT_EQ(request.answered, 1);
        ASSERT_GT(request.answered_at, request.served_at);
        last = std::max(last, request.answered_at);
      }
      EXPECT_GT(last, Time(0));
    }
  }
}

TEST(OnChipSwitch, IsAsleepWhenNothingMoves) {
  OnChipSwitch chip_switch("switch", wide, base::Frequency(1e9), 2);
  Unit asker("asker", chip_switch, 0), target("target", chip_switch, 1);
  asker.ask(1, true, 512);
  sc_core::sc_start();
  EXPECT_FALSE(sc_core::sc_pending_activity());
  EXPECT_EQ(base::systemc::now(), Time(22'000));  // there, and the acknowledgement back
}

}  // namespace
}  // namespace podsim::noc::chip_switch
