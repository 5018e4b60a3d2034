// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/collective_engine.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <rapidcheck/gtest.h>

#include "base/systemc/fresh_context.h"
#include "base/systemc/systemc_time.h"
#include "hw/pod/pod.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/schedule/collective_estimate.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::engine {
namespace {

using base::Time;
using noc::Topology;

// A slice whose chips start in an order of the test's choosing; each core then runs `rounds` collectives back to back.
struct Slice : sc_core::sc_module {
  Slice(const sc_core::sc_module_name& name, const sw::TargetMachine& machine, const noc::Topology& topology,
        bool look_ahead = false)
      : sc_module(name),
        cores(int(machine.cores_per_chip)),
        pod(
            "pod", topology.nodes(),
            [&](noc::NodeId chip, const hw::chip::IciBinding& ici) {
              return std::make_unique<hw::chip::Chip>(("chip_" + std::to_string(chip)).c_str(), machine, int(chip),
                                                      hw::Trace{}, ici);
            },
            topology, machine.ici) {
    for (noc::NodeId chip = 0; chip < topology.nodes(); ++chip) order.push_back(chip);
    engine = std::make_unique<CollectiveEngine>("collectives", machine, topology, pod.chips(),
                                                look_ahead ? &pod.network().look_ahead() : nullptr);
    SC_HAS_PROCESS(Slice);
    SC_METHOD(start_all);
  }

  void prepare(std::shared_ptr<const schedule::CollectiveSchedule> schedule, std::size_t rounds) {
    for (std::size_t round = 0; round < rounds; ++round) {
      runs.push_back(&engine->begin(schedule, [this, round, rounds](noc::NodeId chip, int core) {
        if (round + 1 < rounds) runs[round + 1]->start(chip, core);
      }));
    }
  }
  void start_all() {
    for (noc::NodeId chip : order) {
      for (int core = 0; core < cores; ++core) runs[0]->start(chip, core);
    }
  }

  int cores;
  hw::pod::Pod pod;
  std::unique_ptr<CollectiveEngine> engine;
  std::vector<noc::NodeId> order;
  std::vector<CollectiveRun*> runs;
};

std::shared_ptr<const schedule::CollectiveSchedule> schedule_on(const noc::Topology& topology,
                                                                const sw::TargetMachine& machine,
                                                                std::int64_t elements) {
  const int cores = int(machine.cores_per_chip);
  return std::make_shared<const schedule::CollectiveSchedule>(
      topology, cores, CollectiveGroups::all(topology, cores),
      schedule::CollectiveRequest{CollectiveKind::all_reduce, hlo::ElementType::bf16, elements}, Algorithm::two_colour,
      schedule::segment_lengths(machine, hlo::ElementType::bf16));
}

std::vector<Time> finish_times(const sw::TargetMachine& machine, const noc::Topology& topology, std::int64_t elements,
                               const std::vector<noc::NodeId>& order, bool look_ahead = false) {
  const base::systemc::FreshContext context;
  Slice slice("slice", machine, topology, look_ahead);
  slice.order = order;
  slice.prepare(schedule_on(topology, machine, elements), 1);
  sc_core::sc_start();
  std::vector<Time> result;
  for (noc::NodeId chip = 0; chip < topology.nodes(); ++chip) {
    for (int core = 0; core < slice.cores; ++core) result.push_back(slice.runs[0]->finished_at(chip, core));
  }
  return result;
}

TEST(CollectiveEngine, TheOrderInWhichChipsStartAtOneTimeDoesNotMatter) {
  EXPECT_TRUE(rc::check([] {
    auto size = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(2, 6));
    noc::Topology topology({*size, *size}, {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()});
    sw::TargetMachine machine = tpu_v3();
    machine.cores_per_chip = *rc::gen::inRange(1, 3);
    std::int64_t elements = *rc::gen::element(1, 1003, 100003, 1000003);
    const bool look_ahead = *rc::gen::arbitrary<bool>();
    std::vector<noc::NodeId> natural, shuffled;
    for (noc::NodeId chip = 0; chip < topology.nodes(); ++chip) natural.push_back(chip);
    shuffled = natural;
    for (std::size_t i = shuffled.size() - 1; i > 0; --i) {
      std::swap(shuffled[i],
                shuffled[std::size_t(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, int(i) + 1)))]);
    }
    RC_ASSERT(finish_times(machine, topology, elements, natural, look_ahead) ==
              finish_times(machine, topology, elements, shuffled, look_ahead));
  }));
}

TEST(CollectiveEngine, OnARingEveryChipFinishesAtTheSameTime) {
  std::vector<noc::NodeId> order{3, 1, 0, 5, 2, 4, 7, 6};
  auto times = finish_times(tpu_v3(), noc::Topology({8}, {true}), 1000003, order);
  for (std::size_t core = 0; core < times.size(); ++core) EXPECT_EQ(times[core], times[core % 2]) << core;
}

TEST(CollectiveEngine, CoresRunCollectivesBackToBack) {
  sw::TargetMachine machine = tpu_v3();
  noc::Topology topology({3, 2}, {false, false});
  Slice slice("slice", machine, topology);
  slice.prepare(schedule_on(topology, machine, 100003), 3);
  sc_core::sc_start();
  for (std::size_t round = 0; round < 3; ++round) {
    ASSERT_TRUE(slice.runs[round]->finished());
    for (noc::NodeId chip = 0; round > 0 && chip < topology.nodes(); ++chip) {
      EXPECT_EQ(slice.runs[round]->started_at(chip, 0), slice.runs[round - 1]->finished_at(chip, 0));
    }
  }
  // The lower bound holds for the three together: nothing is reduced twice over the links at once.
  double bytes = 3 * 200006.0, links = 3 * machine.ici.payload_rate().si();
  EXPECT_GE(base::to_duration(base::systemc::now()).si(), 2 * bytes * 5 / 6 / links);
}

std::size_t heap_in_use() { return mallinfo2().uordblks; }

/// Every core goes from one collective into the next, which is made when the first core gets there.
struct EndlessSlice : Slice {
  using Slice::Slice;
  void run(const std::shared_ptr<const schedule::CollectiveSchedule>& schedule, std::size_t rounds) {
    make_next = [this, schedule, rounds] {
      heap.push_back(heap_in_use());
      std::size_t next = runs.size() + 1;
      runs.push_back(&engine->begin(schedule, [this, next, rounds](noc::NodeId chip, int core) {
        if (next == rounds) return;
        if (runs.size() == next) make_next();
        runs[next]->start(chip, core);
      }));
    };
    make_next();
    sc_core::sc_start();
  }

  std::function<void()> make_next;
  std::vector<std::size_t> heap;  ///< bytes in use when each round began
};

// Each step of a training run has a collective: the memory of a thousand steps must not grow by that of a thousand
// collectives. The times at which cores started and finished stay, 16 bytes per core.
TEST(CollectiveEngine, FinishedCollectivesGiveBackWhatTheirCoresNeeded) {
  sw::TargetMachine machine = tpu_v3();
  noc::Topology topology({4, 4}, {false, false});
  EndlessSlice slice("slice", machine, topology);
  slice.runs.reserve(100);
  slice.heap.reserve(100);
  slice.run(schedule_on(topology, machine, 100003), 60);
  ASSERT_EQ(slice.runs.size(), 60U);
  EXPECT_TRUE(slice.runs.back()->finished());
  EXPECT_GT(slice.runs[0]->duration(), Time(0)) << "times stay";
  auto grown = double(slice.heap[59]) - double(slice.heap[19]);
  EXPECT_LE(grown / 40, 2048) << "32 cores, 16 bytes each, and the run itself";
}

TEST(CollectiveEngine, NamesItsMessagesForWaveforms) {
  sw::TargetMachine machine = tpu_v3();
  noc::Topology topology({2, 2}, {false, false});
  Slice slice("slice", machine, topology);
  slice.prepare(schedule_on(topology, machine, 1000), 1);
  noc::ici::Message message{
      .bytes = base::Bytes(1), .channel = 1, .tag = pack(MessageTag{{.stripe = 1, .phase = 0, .number = 3}, 1, 1})};
  EXPECT_EQ(slice.engine->label(message), "reduce-scatter x, colour 1, segment 3");
  EXPECT_EQ(slice.engine->label({.bytes = base::Bytes(12)}), "12 B");
}

TEST(CollectiveEngine, NamesTheStepOfAMessageAroundARing) {
  sw::TargetMachine machine = tpu_v3();
  noc::Topology topology({8}, {true});
  Slice slice("slice", machine, topology);
  slice.prepare(schedule_on(topology, machine, 1000), 1);
  // The first of seven steps leaves six to go; the first of an all-gather is a step gone.
  noc::ici::Message message{.bytes = base::Bytes(1), .channel = 1, .tag = pack(MessageTag{{.distance = 6}})};
  EXPECT_EQ(slice.engine->label(message), "reduce-scatter x step 1, colour 0, segment 0");
  message.tag = pack(MessageTag{{.phase = 1, .distance = 1}});
  EXPECT_EQ(slice.engine->label(message), "all-gather x step 1, colour 0, segment 0");
}

TEST(SegmentLengths, AreWhatALinkCarriesDuringTheLatencyToANeighbourAndOneOfTheMachineFile) {
  // 70.028 GB/s for 300 + 679 + 21.3 ns; 64 MiB of 4 bytes each.
  EXPECT_EQ(schedule::segment_lengths(tpu_v3(), hlo::ElementType::bf16).link, 35023);
  EXPECT_EQ(schedule::segment_lengths(tpu_v3(), hlo::ElementType::f32).most, 16777216);
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
