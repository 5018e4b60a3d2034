// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/core_content.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "hw/timing/tile_pipeline.h"
#include "tests/hw/random_op.h"
#include "tests/workloads/changed_keys.h"

namespace podsim::workloads {
namespace {

base::ContentKey core_of(const sw::TargetMachine& machine) {
  base::ContentHash hash;
  sw::add_core(hash, machine);
  return hash.key();
}

/// True for keys without influence on an op of a core: whole sections, the keys in [compiler] that are about
/// collectives, the fingerprint of the memory, and keys of the on-chip switch that do not limit a stream.
bool is_left_out(const std::string& key) {
  constexpr std::array sections{"machine", "ici", "host", "input", "job", "faults", "pod", "energy", "area", "site"};
  constexpr std::array keys{"compiler.combine_all_reduce",

                            "compiler.largest_segment",
                            "compiler.collective_launch",
                            "compiler.collective_launch_doubling",
                            "compiler.small_op_share",
                            "compiler.partition_link_rate",
                            "compiler.partition_products_per_s",
                            "compiler.partition_memory_rate",
                            "compiler.order_gain",
                            "compiler.reshape_padding",
                            "compiler.recompute_above",
                            "hbm.measured_with",
                            "switch.crossing_latency_cycles",
                            "switch.queue_packets"};
  return std::ranges::any_of(sections, [&](const char* section) { return test::in_section(key, section); }) ||
         std::ranges::find(keys, key) != keys.end();
}

TEST(CoreContent, IsThatOfEveryKeyOfCoreAndMemoryAndOfNoOther) {
  for (const char* name : {"tpu-v3", "tpu-v2"}) {
    const base::ContentKey own = core_of(sw::read_target(machines::machine_config(name)));
    std::set<std::string> sections;
    int changed = 0;
    for (const test::ChangedMachine& other : test::changed_machines(name)) {
      EXPECT_EQ(core_of(other.machine) == own, is_left_out(other.key)) << other.key << " = " << other.value;
      sections.insert(other.key.substr(0, other.key.find('.')));
      ++changed;
    }
    EXPECT_EQ(sections,
              (std::set<std::string>{"machine", "core",       "scalar", "mxu",        "vector", "cross_lane", "dma",
                                     "hbm",     "hbm_timing", "switch", "ici",        "host",   "input",      "job",
                                     "faults",  "compiler",   "pod",    "tile_level", "energy", "area",       "site"}));
    EXPECT_GE(changed, 120);
  }
}

/// Ops with contiguous transfers only; the rates of other transfers are measured on every machine's banks, which takes
/// long.
std::vector<hw::TileOp> contiguous_ops() {
  hw::RandomOps random(1);
  std::vector<hw::TileOp> ops;
  for (int i = 0; i < 20; ++i) {
    for (hw::TileRun& run : ops.emplace_back(random.next(5)).runs) {
      for (hw::TileTransfer& transfer : run.work.reads) transfer.shape = {};
      for (hw::TileTransfer& transfer : run.work.writes) transfer.shape = {};
    }
  }
  return ops;
}

TEST(CoreContent, OfEqualContentTakesEqualTime) {
  const sw::TargetMachine machine = sw::read_target(machines::machine_config("tpu-v3"));
  const std::vector<hw::TileOp> ops = contiguous_ops();
  int with_other_times = 0;
  for (const test::ChangedMachine& other : test::changed_machines("tpu-v3")) {
    const bool same_times = std::ranges::all_of(ops, [&](const hw::TileOp& op) {
      return hw::timing::simulate_op(other.machine, op) == hw::timing::simulate_op(machine, op);
    });
    EXPECT_TRUE(same_times || core_of(other.machine) != core_of(machine)) << other.key;
    if (!same_times) ++with_other_times;
  }
  EXPECT_GE(with_other_times, 20);
}

}  // namespace
}  // namespace podsim::workloads
