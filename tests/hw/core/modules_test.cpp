// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hw/core/dma_engine.h"
#include "hw/core/sync_flags.h"
#include "hw/core/timed_unit.h"
#include "hw/core_units.h"
#include "hw/memory/hbm.h"
#include "tests/hw/recording_sink.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::core {
namespace {

// round_machine runs at 1 GHz, so a cycle is a nanosecond.

TEST(MxuModule, ShowsItsStatesWhenTheyBegin) {
  RecordingSink sink;
  const CoreTime time(base::Frequency(1e9));
  TimedUnit<Mxu> mxu("mxu", Mxu::timing(round_machine()), 1, time, {&sink, nullptr, "core.mxu1"});
  EXPECT_EQ(mxu.from_sequencer->start(base::Cycles(0), {3, 256}, "op"),
            base::Cycles(128 + 256 + 135));  // the second unit's one tile
  sc_core::sc_start();
  EXPECT_EQ(sink.history("core.mxu1.state"), "idle@0 load weights@0 stream@128 drain@384 idle@519");
  EXPECT_EQ(sink.history("core.mxu1.busy"), "0@0 1@0 0@519");
  EXPECT_EQ(mxu.from_sequencer->busy(), base::Cycles(519));
}

TEST(MxuModule, IsNeverIdleBetweenPhasesThatTouch) {
  RecordingSink sink;
  const CoreTime time(base::Frequency(1e9));
  TimedUnit<Mxu> mxu("mxu", Mxu::timing(round_machine()), 0, time, {&sink, nullptr, "mxu"});
  const base::Cycles end = mxu.from_sequencer->start(base::Cycles(0), {1, 128}, "op");
  sc_core::sc_start(time.until(end));
  mxu.from_sequencer->start(end, {1, 128}, "op");
  sc_core::sc_start();
  EXPECT_EQ(sink.history("mxu.busy").find("0@391 1@391"), std::string::npos) << sink.history("mxu.busy");
}

TEST(MxuModule, WithoutWorkItStaysIdle) {
  const CoreTime time(base::Frequency(1e9));
  TimedUnit<Mxu> mxu("mxu", Mxu::timing(round_machine()), 1, time, {});
  EXPECT_EQ(mxu.from_sequencer->start(base::Cycles(7), {1, 128}, "op"), base::Cycles(7));  // the only tile is unit 0's
  EXPECT_EQ(mxu.from_sequencer->busy(), base::Cycles(0));
}

TEST(SyncFlagsModule, WakesAWaiterWhenTheValueIsReachedAndNotBefore) {
  struct Waiter : sc_core::sc_module {
    SC_HAS_PROCESS(Waiter);
    Waiter(sc_core::sc_module_name name, SyncFlags& flags) : sc_module(name), flags_(flags) {
      SC_THREAD(wait_for_three);
      SC_THREAD(add);
    }
    void wait_for_three() {
      wait(flags_.reaches(5, 3));
      woken = base::systemc::now();
    }
    void add() {
      for (int i = 0; i < 5; ++i) {
        wait(10, sc_core::SC_NS);
        flags_.add(5, 1);
        flags_.add(6, 10);
      }
    }
    SyncFlags& flags_;
    base::Time woken;
  };
  SyncFlags flags("flags", 256, {});
  Waiter waiter("waiter", flags);
  sc_core::sc_start();
  EXPECT_EQ(waiter.woken, base::Time(30'000));
  EXPECT_EQ(flags.value(5), 5);
  EXPECT_TRUE(flags.at_least(5, 5));
  EXPECT_FALSE(flags.at_least(5, 6));
}

/// A memory that answers each request after a fixed time, the latest request first.
struct StubMemory : sc_core::sc_module {
  SC_HAS_PROCESS(StubMemory);
  explicit StubMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_nb_transport_fw(this, &StubMemory::receive);
    SC_METHOD(answer);
    sensitive << wake;
    dont_initialize();
  }
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    delays.push_back(delay);
    payload.acquire();
    waiting.push_back(&payload);
    wake.notify(sc_core::sc_time(100, sc_core::SC_NS));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void answer() {
    while (!waiting.empty()) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      EXPECT_EQ(socket->nb_transport_bw(*waiting.back(), phase, delay), tlm::TLM_COMPLETED);
      waiting.back()->release();
      waiting.pop_back();
    }
  }
  tlm_utils::simple_target_socket<StubMemory> socket{"socket"};
  std::vector<tlm::tlm_generic_payload*> waiting;
  std::vector<sc_core::sc_time> delays;
  sc_core::sc_event wake;
};

TEST(DmaEngineModule, IssuesOneDescriptorPerCycleAndBumpsFlagsOnCompletion) {
  const Machine machine = round_machine();
  const CoreTime time(machine.clock);
  RecordingSink sink;
  SyncFlags flags("flags", 8, {});
  DmaEngine dma("dma", machine, time, flags, {&sink, nullptr, "dma"});
  StubMemory memory("memory");
  dma.to_hbm.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  dma.issue(base::Cycles(0), Direction::read, base::Bytes(100), 0);
  dma.issue(base::Cycles(0), Direction::read, base::Bytes(100), 1);
  dma.issue(base::Cycles(0), Direction::write, base::Bytes(100), 1);
  sc_core::sc_start();
  // read latency 20 from cycles 0 and 1, write latency 10 from cycle 2
  ASSERT_EQ(memory.delays.size(), 3u);
  EXPECT_EQ(memory.delays[0], sc_core::sc_time(20, sc_core::SC_NS));
  EXPECT_EQ(memory.delays[1], sc_core::sc_time(21, sc_core::SC_NS));
  EXPECT_EQ(memory.delays[2], sc_core::sc_time(12, sc_core::SC_NS));
  EXPECT_EQ(flags.value(0), 1);
  EXPECT_EQ(flags.value(1), 2);
  EXPECT_EQ(sink.history("dma.outstanding"), "0@0 1@0 2@0 3@0 2@100 1@100 0@100");
  EXPECT_EQ(sink.history("dma.read"), "idle@0 transfer@0 idle@100");
}

TEST(DmaEngineModule, IsFullAtItsQueueDepth) {
  base::Config config = machine_file("tpu-v3");
  config.set("dma.queue_depth=2");
  const Machine machine = read_machine(config);
  const CoreTime time(machine.clock);
  SyncFlags flags("flags", 8, {});
  DmaEngine dma("dma", machine, time, flags, {});
  StubMemory memory("memory");
  dma.to_hbm.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  dma.issue(base::Cycles(0), Direction::read, base::Bytes(1), 0);
  EXPECT_FALSE(dma.full());
  dma.issue(base::Cycles(0), Direction::read, base::Bytes(1), 0);
  EXPECT_TRUE(dma.full());
  sc_core::sc_start();
  EXPECT_FALSE(dma.full());
}

TEST(HbmModule, AnswersReadsAndWritesWhenTheStreamModelSaysAndShowsThem) {
  const Machine machine = round_machine();
  const CoreTime time(machine.clock);
  RecordingSink sink;
  SyncFlags flags("flags", 8, {&sink, nullptr, "sync"});
  flags.show_as(0, "read");
  flags.show_as(1, "write");
  DmaEngine dma("dma", machine, time, flags, {});
  memory::Hbm hbm("hbm", machine, {&sink, nullptr, "hbm"});
  dma.to_hbm.bind(hbm.from_dma);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  dma.issue(base::Cycles(0), Direction::read, base::Bytes(10'000), 0);  // data from cycle 20
  dma.issue(base::Cycles(0), Direction::write, base::Bytes(1000), 1);   // data from cycle 11
  sc_core::sc_start();
  // Alone, the write moves 900 B until cycle 20; its last 100 B share the bus until 22.4; the read then has 9900 B
  // left.
  EXPECT_EQ(sink.history("sync.write"), "0@0 1@23");
  EXPECT_EQ(sink.history("sync.read"), "0@0 1@122");
  EXPECT_EQ(sink.history("hbm.write"), "0@0 1@11 0@23");
  EXPECT_EQ(sink.history("hbm.read"), "0@0 1@20 0@122");
  EXPECT_EQ(hbm.moved(Direction::read), base::Bytes(10'000));
  EXPECT_EQ(hbm.busy(), base::Cycles(110));  // cycle 11 to 121.4
}

}  // namespace
}  // namespace podsim::hw::core
