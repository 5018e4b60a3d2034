// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_hbm.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <deque>
#include <map>
#include <random>

#include "base/systemc/fresh_context.h"
#include "tests/hw/recording_sink.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

struct Sent {
  dram::MemoryRequest request;
  std::vector<std::uint32_t> words;
  base::Time begun, accepted, answered;
  int answers = 0;
};

// Sends requests as soon as their channel takes them, keeps the rule of one request without END_REQ per channel, and
// records the times of events.
class Sender : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Sender);
  Sender(const sc_core::sc_module_name& name, const dram::AddressMap& map) : sc_module(name), map_(map), lines_(64) {
    socket.register_nb_transport_bw(this, &Sender::answer);
    SC_METHOD(work);
    sensitive << wake_;
  }
  void send(dram::MemoryRequest request, std::vector<std::uint32_t> words = {}) {
    request.tag = sent.size();
    lines_[std::size_t(map_.channel_of(request.address))].waiting.push_back(request.tag);
    sent.push_back({request, std::move(words), {}, {}, {}});
    wake_.notify(sc_core::SC_ZERO_TIME);
  }

  tlm_utils::simple_initiator_socket<Sender> socket{"socket"};
  std::deque<Sent> sent;
  std::vector<std::uint64_t> order;  // of answers

 private:
  struct Line {
    std::deque<std::uint64_t> waiting;
    bool blocked = false;
  };

  void work() {
    for (Line& line : lines_) {
      while (!line.blocked && !line.waiting.empty()) begin(line);
    }
  }
  void begin(Line& line) {
    Sent& next = sent[line.waiting.front()];
    line.waiting.pop_front();
    tlm::tlm_generic_payload& payload = pool_.make(next.request, next.words.empty() ? nullptr : next.words.data());
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    next.begun = base::systemc::now();
    line.blocked = true;
    const tlm::tlm_sync_enum result = socket->nb_transport_fw(payload, phase, delay);
    if (result == tlm::TLM_UPDATED) {
      EXPECT_EQ(phase, tlm::END_REQ);
      next.accepted = base::systemc::now();
      line.blocked = false;
    } else if (result == tlm::TLM_COMPLETED) {
      EXPECT_TRUE(payload.is_response_error());
      line.blocked = false;
      payload.release();
    }
  }
  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    Sent& known = sent[memory_extension(payload).tag];
    if (phase == tlm::END_REQ) {
      known.accepted = base::systemc::now();
      Line& line = lines_[std::size_t(map_.channel_of(known.request.address))];
      EXPECT_TRUE(line.blocked);
      line.blocked = false;
      wake_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_ACCEPTED;
    }
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    known.answered = base::systemc::now();
    ++known.answers;
    order.push_back(memory_extension(payload).tag);
    payload.release();
    return tlm::TLM_COMPLETED;
  }

  const dram::AddressMap& map_;
  std::vector<Line> lines_;
  MemoryPayloadPool pool_;
  sc_core::sc_event wake_;
};

struct BankHbmBench {
  explicit BankHbmBench(const Machine& with, base::trace::ProbeSink* sink = nullptr)
      : machine(with),
        contents(machine.hbm.capacity_per_core),
        hbm("hbm", machine, &contents, Trace{sink, nullptr, "hbm"}),
        sender("sender", hbm.map()) {
    sender.socket.bind(hbm.from_masters);
  }
  void run(double seconds) { sc_core::sc_start(sc_core::sc_time(seconds, sc_core::SC_SEC)); }

  Machine machine;
  DeviceMemory contents;
  BankHbm hbm;
  Sender sender;
};

base::Time clocks(std::int64_t count) { return base::Clock(base::Frequency(900e6)).time_of(base::Cycles(count)); }

TEST(BankHbm, AnUnloadedReadIsAnsweredAfterActivateLatencyAndBurst) {
  BankHbmBench bench(tpu_v3());
  bench.sender.send({Direction::read, 0, base::Bytes(32), 0});
  bench.run(1e-6);
  const Sent& read = bench.sender.sent[0];
  EXPECT_EQ(read.accepted, base::Time(0));
  EXPECT_EQ(read.answered, clocks(13 + 13 + 2));
}

TEST(BankHbm, AFullQueueKeepsARequestWaitingUntilThereIsRoom) {
  BankHbmBench bench(tpu_v3_with({"hbm.refresh=none", "hbm.read_queue_bursts=64"}));
  // One row of one bank of pseudo-channel 0: its queue of 64 holds them, the next waits for the first column command.
  std::vector<std::uint64_t> addresses;
  const dram::DramAddress place = bench.hbm.map().decode(0);
  for (std::uint64_t address = 0; addresses.size() < 65; address += 32) {
    const dram::DramAddress at = bench.hbm.map().decode(address);
    if (at.channel == place.channel && at.pseudo_channel == place.pseudo_channel) addresses.push_back(address);
  }
  for (const std::uint64_t address : addresses) bench.sender.send({Direction::read, address, base::Bytes(32), 0});
  bench.run(1e-6);
  EXPECT_EQ(bench.sender.sent[63].accepted, base::Time(0));
  // The first read issues at clock 13; one clock later its slot is free.
  EXPECT_EQ(bench.sender.sent[64].accepted, clocks(14));
  for (const Sent& sent : bench.sender.sent) EXPECT_EQ(sent.answers, 1);
}

TEST(BankHbm, WhatNoChannelCanTakeIsAnErrorAtOnce) {
  BankHbmBench bench(tpu_v3());
  bench.sender.send({Direction::read, std::uint64_t(16) << 30, base::Bytes(32), 0});
  bench.sender.send({Direction::read, (std::uint64_t(16) << 30) - 32, base::Bytes(64), 0});
  bench.sender.send({Direction::read, 1008, base::Bytes(32), 0});
  bench.sender.send({Direction::read, 2, base::Bytes(4), 0}, {0});
  bench.run(1e-6);
  for (const Sent& sent : bench.sender.sent) EXPECT_EQ(sent.answers, 0);
}

TEST(BankHbm, WhatWasWrittenIsReadBackUnderRandomTrafficAndEveryRequestIsAnsweredOnce) {
  BankHbmBench bench(tpu_v3());
  std::mt19937 random(4);
  std::map<std::uint64_t, std::uint32_t> expected;  // by word
  std::vector<std::vector<std::uint32_t>> reads;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t unit = random() % 64, first = random() % 256;
    const std::size_t words = 1 + random() % (256 - first);
    const std::uint64_t address = unit * 1024 + first * 4;
    if (random() % 2 == 0) {
      std::vector<std::uint32_t> data(words);
      for (std::size_t w = 0; w < words; ++w) expected[address / 4 + w] = data[w] = std::uint32_t(random());
      bench.sender.send({Direction::write, address, base::Bytes(std::int64_t(words) * 4), 0}, data);
      reads.emplace_back();
    } else {
      std::vector<std::uint32_t> seen(words);
      for (std::size_t w = 0; w < words; ++w) seen[w] = expected[address / 4 + w];
      bench.sender.send({Direction::read, address, base::Bytes(std::int64_t(words) * 4), 0},
                        std::vector<std::uint32_t>(words, 0xdeadbeef));
      reads.push_back(seen);
    }
  }
  bench.run(1e-3);
  ASSERT_EQ(bench.sender.order.size(), 5000u);
  for (std::size_t i = 0; i < bench.sender.sent.size(); ++i) {
    const Sent& sent = bench.sender.sent[i];
    EXPECT_EQ(sent.answers, 1);
    if (sent.request.direction == Direction::read) {
      EXPECT_EQ(sent.words, reads[i]) << i;
    }
  }
  EXPECT_EQ(bench.hbm.shares().total(), base::Cycles(32 * 900'000));
}

// A memory clock is 1.111 ns; the trace shows the events of a clock at its end.
TEST(BankHbm, ATraceShowsCommandsBanksDataAndQueuesOfAChannel) {
  RecordingSink sink;
  BankHbmBench bench(tpu_v3(), &sink);
  bench.sender.send({Direction::read, 0, base::Bytes(32), 0});
  bench.sender.send({Direction::write, 0, base::Bytes(32), 0}, std::vector<std::uint32_t>(8));
  bench.run(100e-9);
  // ACT at clock 0, RD at 13, WR at 13 + 11.
  EXPECT_EQ(sink.history("hbm.channel0.row_command"), "@0 ACT p0 g0 b0 row 0@1 @2");
  EXPECT_EQ(sink.history("hbm.channel0.column_command"), "@0 RD p0 g0 b0@15 @16 WR p0 g0 b0@27 @28");
  EXPECT_EQ(sink.history("hbm.channel0.pseudo_channel0.banks.group0_bank0"), "closed@0 row 0@1");
  EXPECT_EQ(sink.history("hbm.channel0.pseudo_channel0.banks.group1_bank0"), "closed@0");
  EXPECT_EQ(sink.history("hbm.channel0.pseudo_channel0.data"), "@0 read@30 @32 write@33 @35");
  EXPECT_EQ(sink.history("hbm.channel0.pseudo_channel0.reads_waiting"), "0@0 1@1 0@15");
  EXPECT_EQ(sink.history("hbm.channel0.pseudo_channel0.writes_waiting"), "0@0 1@1 0@27");
  EXPECT_EQ(sink.history("hbm.channel1.row_command"), "@0");
}

TEST(BankHbm, ATraceChangesNothing) {
  std::vector<std::int64_t> answered[2];
  for (const bool traced : {false, true}) {
    base::systemc::FreshContext context;
    RecordingSink sink;
    BankHbmBench bench(tpu_v3(), traced ? &sink : nullptr);
    std::mt19937 random(9);
    for (int i = 0; i < 500; ++i) {
      const Direction direction = random() % 3 == 0 ? Direction::write : Direction::read;
      bench.sender.send({direction, random() % 256 * 1024, base::Bytes(32 * (1 + std::int64_t(random() % 32))), 0});
    }
    bench.run(20e-6);
    for (const Sent& sent : bench.sender.sent) answered[traced ? 1 : 0].push_back(sent.answered.value());
  }
  EXPECT_EQ(answered[0], answered[1]);
}

}  // namespace
}  // namespace podsim::hw::memory::banks
