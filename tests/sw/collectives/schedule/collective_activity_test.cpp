// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/collective_activity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <deque>
#include <vector>

#include "hw/pod/bare_pod.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/look_ahead.h"
#include "sw/collectives/engine/message_tag.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/engine/any_collective.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::schedule {
namespace {

using base::Bytes;
using engine::CollectiveRun;
using hw::chip::CoreMemory;

/// A chip that counts the bytes that its cores move and add.
class CountingChip : public hw::chip::ChipTransfers {
 public:
  CountingChip(const hw::Machine& machine, hw::pod::BareChip& chip, hw::Activity* of_cores)
      : machine_(machine), chip_(chip), of_(of_cores) {}

  hw::chip::MoveEnd move(base::Time now, const hw::chip::Move& move) override {
    const auto& [from, to, bytes] = move;
    (from.kind == CoreMemory::Kind::hbm ? of_[from.core].transfer_read : of_[from.core].vmem_read) += bytes;
    (to.kind == CoreMemory::Kind::hbm ? of_[to.core].transfer_written : of_[to.core].vmem_written) += bytes;
    const int mover = from.kind == CoreMemory::Kind::vmem ? from.core : to.core;
    if (hw::chip::passes_switch(move)) of_[mover].switched += bytes;
    return chip_.move(now, move);
  }
  base::Time compute(int core, base::Time ready, const hw::VectorWork& work) override {
    hw::add(hw::activity(machine_, hw::TilePhase(work)), 1, of_[core]);
    return chip_.compute(core, ready, work);
  }
  base::Time copy_latency() const override { return chip_.copy_latency(); }
  base::Time slowed(base::Time healthy) const override { return chip_.slowed(healthy); }

 private:
  const hw::Machine& machine_;
  hw::pod::BareChip& chip_;
  hw::Activity* of_;  ///< by core
};

/// Executes a collective on a slice, all of whose cores begin together, and counts the work of each core.
class CountingEngine : private engine::LookAhead {
 public:
  CountingEngine(const sw::TargetMachine& machine, hw::pod::BarePod& pod,
                 const std::shared_ptr<const CollectiveSchedule>& schedule)
      : engine::LookAhead(machine, pod.links().topology(), &pod.links()), of_cores_(std::size_t(schedule->cores())) {
    for (noc::NodeId chip = 0; chip < topology().full().nodes(); ++chip)
      chips_.emplace_back(machine, pod.chip(chip), &of(chip, 0));
    CollectiveRun& run = add_run(schedule, {}, nullptr);
    for (noc::NodeId chip = 0; chip < topology().full().nodes(); ++chip) {
      for (int core = 0; core < cores_per_chip(); ++core) run.start(chip, core);
    }
    while (more_is_due()) serve_next();
  }

  const std::vector<hw::Activity>& of_cores() const { return of_cores_; }

 private:
  hw::Activity& of(noc::NodeId chip, int core) {
    return of_cores_[std::size_t(chip) * std::size_t(cores_per_chip()) + std::size_t(core)];
  }
  base::Time now() const override { return served_until(); }
  hw::chip::ChipTransfers& chip(noc::NodeId chip) override { return chips_[std::size_t(chip)]; }
  base::trace::Probe<std::string>& phase(noc::NodeId, int) override { return phase_; }
  void begun(CollectiveRun&) override {}
  void finished(CollectiveRun&) override {}

  /// Follows the message link by link.
  void send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) override {
    const engine::MessageTag tag = engine::unpack(message.tag);
    noc::NodeId target = chip;
    std::int64_t links = 0;
    for (int d = 0; d < topology().full().dimensions(); ++d) {
      const auto hops = message.hops[std::size_t(d)];
      for (int hop = 0; hop < std::abs(hops); ++hop, ++links)
        target = *topology().full().neighbour(target, d, hops > 0 ? 1 : -1);
    }
    of(chip, tag.source).vmem_read += message.bytes;
    of(target, tag.target).vmem_written += message.bytes;
    ++of(chip, tag.source).messages;
    of(chip, tag.source).message_bytes += message.bytes;
    of(chip, tag.source).link_bytes += message.bytes * links;
    engine::LookAhead::send(run, chip, message);
  }

  std::vector<hw::Activity> of_cores_;
  std::deque<CountingChip> chips_;
  base::trace::Probe<std::string> phase_;
};

// The oracle: the engine, which executes the schedule event by event, and counts on its links.
RC_GTEST_PROP(CollectiveActivity, IsWhatTheEngineDoesOnEveryCore, ()) {
  const engine::testing::Case sample = engine::testing::any_case();
  hw::pod::BarePod pod(sample.machine, sample.schedule->slice());
  const CountingEngine engine(sample.machine, pod, sample.schedule);
  CollectiveActivity by_schedule(sample.machine, *sample.schedule);
  hw::Activity sum;
  for (std::int32_t core = 0; core < sample.schedule->cores(); ++core) {
    const hw::Activity done = by_schedule.of(core);
    const std::vector<hw::NamedCount> counted = hw::counts(engine.of_cores()[std::size_t(core)], sample.machine);
    std::size_t i = 0;
    for (const hw::NamedCount& count : hw::counts(done, sample.machine)) {
      RC_LOG() << "core " << core << " " << count.part << "." << count.counter.name << std::endl;
      RC_ASSERT(count.value == counted[i++].value);
    }
    hw::add(done, 1, sum);
  }
  RC_ASSERT(sum.messages == pod.links().messages_delivered());
  Bytes on_links;
  for (noc::LinkId link = 0; link < sample.schedule->slice().link_ids(); ++link)
    on_links += pod.links().link(link).bytes();
  RC_ASSERT(sum.link_bytes == on_links);
}

hw::Activity of_slice(const sw::TargetMachine& machine, const noc::Topology& slice, CollectiveKind kind,
                      std::int64_t elements, Algorithm algorithm) {
  const auto schedule = schedule_of(machine, slice, {kind, hlo::ElementType::f32, elements}, algorithm);
  CollectiveActivity activity(machine, *schedule);
  hw::Activity sum;
  for (std::int32_t core = 0; core < schedule->cores(); ++core) hw::add(activity.of(core), 1, sum);
  return sum;
}

// Every chip of a ring of n sends 2 (n - 1) / n of its payload S to its neighbour: 2 (n - 1) S in all. It reads its
// payload once for the sums and its block once more for the gathering, and writes every block of the result once.
TEST(CollectiveActivity, OfAnAllReduceOnARingIsThatOfTheTextbook) {
  const std::int64_t n = 8, elements = 8 * 1024, bytes = 4 * elements;
  const hw::Activity sum =
      of_slice(network_only(), noc::Topology({n}, {true}), CollectiveKind::all_reduce, elements, Algorithm::y_then_x);
  EXPECT_EQ(sum.link_bytes, Bytes(2 * (n - 1) * bytes));
  EXPECT_EQ(sum.message_bytes, sum.link_bytes);
  EXPECT_EQ(sum.transfer_read, Bytes(n * bytes + bytes));
  EXPECT_EQ(sum.transfer_written, Bytes(n * bytes));
  EXPECT_EQ(sum.switched, Bytes(0));
}

// On a torus of X x Y chips the second dimension works on 1/X of the payload, and the blocks of one phase are those of
// the other: each chip sends 2 (X - 1)/X S + 2 (Y - 1)/(X Y) S = 2 (1 - 1/N) S, all together 2 (N - 1) S. An all-gather
// is half of that.
TEST(CollectiveActivity, OnATorusIsThatOfARingOfAllChips) {
  const std::int64_t chips = 32, elements = chips * 64, bytes = 4 * elements;
  const noc::Topology torus({8, 4}, {true, true});
  for (const Algorithm algorithm : {Algorithm::y_then_x, Algorithm::two_colour}) {
    const hw::Activity reduced = of_slice(network_only(), torus, CollectiveKind::all_reduce, elements, algorithm);
    EXPECT_EQ(reduced.link_bytes, Bytes(2 * (chips - 1) * bytes));
    const hw::Activity gathered = of_slice(network_only(), torus, CollectiveKind::all_gather, elements, algorithm);
    EXPECT_EQ(gathered.link_bytes, Bytes((chips - 1) * bytes));
    EXPECT_EQ(gathered.units, hw::Activity().units) << "nothing is added";
  }
}

// On a ring of n = 8 chips a block goes n/4 = 2 links on the mean of all n^2 pairs of chips: n^2 * 2 blocks of S/n.
TEST(CollectiveActivity, OfAnAllToAllCountsEveryLinkOfARoute) {
  const std::int64_t n = 8, elements = 8 * 64, bytes = 4 * elements;
  const hw::Activity sum =
      of_slice(network_only(), noc::Topology({n}, {true}), CollectiveKind::all_to_all, elements, Algorithm::direct);
  EXPECT_EQ(sum.link_bytes, Bytes(n * n * 2 * bytes / n));
  EXPECT_EQ(sum.message_bytes, Bytes(n * (n - 1) * bytes / n));
}

// Two cores add their halves of the payload each: they read S of their own and S/2 of the other, and write S/2, of
// which the other gets a copy.
TEST(CollectiveActivity, OfAnAllReduceOnOneChipPassesTheSwitch) {
  const std::int64_t elements = 4096, bytes = 4 * elements;
  const sw::TargetMachine machine = tpu_v3();
  const auto schedule = schedule_of(machine, noc::Topology({1}, {false}),
                                    {CollectiveKind::all_reduce, hlo::ElementType::f32, elements}, Algorithm::y_then_x);
  CollectiveActivity activity(machine, *schedule);
  hw::Activity sum;
  for (const std::int32_t core : {0, 1}) hw::add(activity.of(core), 1, sum);
  EXPECT_EQ(sum.messages, 0);
  EXPECT_EQ(sum.transfer_read, Bytes(2 * bytes));
  EXPECT_EQ(sum.transfer_written, Bytes(2 * bytes));
  EXPECT_EQ(sum.switched, Bytes(2 * bytes));
  EXPECT_EQ(sum.units.of<hw::Vector>().alu_operations, elements / 1024);
}

}  // namespace
}  // namespace podsim::sw::collectives::schedule
