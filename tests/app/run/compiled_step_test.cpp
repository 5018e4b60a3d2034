// SPDX-License-Identifier: Apache-2.0
#include "app/run/compiled_step.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sw/target_machine.h"
#include "tests/app/program.h"
#include "tests/sw/compiler/program_text.h"
#include "tests/workloads/changed_keys.h"
#include "workloads/machines/machines.h"

namespace podsim::app::run {
namespace {

RunOptions small_run() {
  RunOptions options;
  options.workload = "resnet50";
  options.slice = "2x2";
  options.build.batch_per_core = 8;
  return options;
}

CompiledStep step_of(const RunOptions& options, const sw::TargetMachine& machine) {
  return StepCompiler(options, machine).compile();
}

std::string text_of(const CompiledStep& step) {
  return sw::compiler::text_of(step.step.program) + fmt::format("{} {} {} {}", step.slice_text,
                                                                step.step.memory.peak.value(), step.batch_per_core,
                                                                step.step.warnings);
}

bool is_networks_or_hosts(const std::string& key) {
  return test::in_section(key, "ici") || test::in_section(key, "host") || test::in_section(key, "input") ||
         test::in_section(key, "job") || test::in_section(key, "faults");
}

TEST(CompiledStep, IsTheSameWhateverNetworkAndHost) {
  const RunOptions options = small_run();
  const base::Config original = workloads::machines::machine_config("tpu-v3");
  const CompiledStep step = step_of(options, sw::read_target(original));
  ASSERT_TRUE(step.shareable());
  int changed = 0;
  for (const base::ConfigEntry& entry : original.entries()) {
    if (!is_networks_or_hosts(entry.key)) continue;
    const auto other = test::change("tpu-v3", entry);
    ASSERT_TRUE(other) << entry.key;
    ++changed;
    EXPECT_EQ(step_key(options, other->config), step_key(options, original)) << other->key << " = " << other->value;
    EXPECT_TRUE(text_of(step_of(options, other->machine)) == text_of(step)) << other->key << " = " << other->value;
  }
  EXPECT_GE(changed, 26);
}

TEST(CompiledStep, OfOtherMachinesHasAnotherKey) {
  const RunOptions options = small_run();
  const std::string key = step_key(options, workloads::machines::machine_config("tpu-v3"));
  int changed = 0;
  for (const test::ChangedMachine& other : test::changed_machines("tpu-v3")) {
    if (is_networks_or_hosts(other.key)) continue;
    ++changed;
    EXPECT_NE(step_key(options, other.config), key) << other.key << " = " << other.value;
  }
  EXPECT_GE(changed, 90);
}

TEST(CompiledStep, OfOtherFlagsHasAnotherKey) {
  const base::Config machine = workloads::machines::machine_config("tpu-v3");
  const test::Folder folder;
  folder.write("a.toml", "[sharding]\n");
  std::vector<RunOptions> runs(13, small_run());
  runs[1].workload = "resnet101";
  runs[2].slice = "2x4";
  runs[3].build.batch_per_core = 4;
  runs[4].build.optimizer = workloads::OptimizerKind::lars;
  runs[5].build.model["model.classes"] = "10";
  runs[6].partition.weight_update_sharding = "on";
  runs[7].partition.mesh = "x=8";
  runs[8].partition.mesh = "x=4,y=2";
  runs[9].partition.sharding = folder.path() / "a.toml";
  runs[10].partition.windowed_einsum = true;
  runs[11].partition.rematerialise = hlo::transform::Rematerialisation::dots;
  runs[12].overlap = sw::compiler::Overlap::collectives;
  for (std::size_t a = 0; a < runs.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(step_key(runs[a], machine), step_key(runs[b], machine)) << a << b;
  }
}

// The scheduler compares the times of ops with those of collectives.
TEST(CompiledStep, WithOverlapDependsOnTheNetwork) {
  RunOptions options = small_run();
  options.overlap = sw::compiler::Overlap::collectives;
  const base::Config original = workloads::machines::machine_config("tpu-v3");
  base::Config faster = original;
  faster.set("ici.link_rate=1312 Gb/s");
  EXPECT_NE(step_key(options, faster), step_key(options, original));
  EXPECT_EQ(step_key(small_run(), faster), step_key(small_run(), original));
}

TEST(CompiledStep, ServesAnyNumberOfStepsAndDetail) {
  RunOptions longer = small_run();
  longer.steps = 7;
  longer.detail = "tile";
  longer.json = true;
  const base::Config machine = workloads::machines::machine_config("tpu-v3");
  EXPECT_EQ(step_key(longer, machine), step_key(small_run(), machine));
}

/// Before placement, because placements are chosen by the time that collectives take there.
TEST(CompiledStep, OfAPartitionedProgramIsTheSameWhateverNetworkAndHost) {
  const base::Config original = workloads::machines::machine_config("tpu-v3");
  RunOptions sharded = small_run(), global = small_run();
  sharded.partition.weight_update_sharding = "on";
  global.workload = "resnet50_global";
  global.build.batch_per_core.reset();
  global.build.model["model.batch"] = "64";
  for (const RunOptions& options : {sharded, global}) {
    const CompiledStep step = step_of(options, sw::read_target(original));
    ASSERT_TRUE(step.shareable()) << options.workload;
    ASSERT_TRUE(step.unplaced) << options.workload;
    for (const base::ConfigEntry& entry : original.entries()) {
      if (!is_networks_or_hosts(entry.key)) continue;
      const auto other = test::change("tpu-v3", entry);
      ASSERT_TRUE(other) << entry.key;
      EXPECT_EQ(step_key(options, other->config), step_key(options, original)) << other->key;
      EXPECT_TRUE(text_of(step_of(options, other->machine)) == text_of(step)) << other->key << " = " << other->value;
    }
  }
}

/// The longest branch is the collective or the copy, depending on the link rate.
TEST(CompiledStep, WhoseBranchTheNetworkChoseIsNotShared) {
  const test::Folder folder;
  folder.write("branch.hlo", R"(HloModule branch, replica_count=8

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

reduce {
  x = f32[1024,1024]{1,0} parameter(0)
  ROOT y = f32[1024,1024]{1,0} all-reduce(x), replica_groups={}, to_apply=add
}

square {
  x = f32[1024,1024]{1,0} parameter(0)
  ROOT y = f32[1024,1024]{1,0} multiply(x, x)
}

ENTRY main {
  which = pred[] parameter(0)
  x = f32[1024,1024]{1,0} parameter(1)
  ROOT y = f32[1024,1024]{1,0} conditional(which, x, x), true_computation=reduce, false_computation=square
}
)");
  RunOptions options;
  options.workload = folder.path() / "branch.hlo";
  base::Config config = workloads::machines::machine_config("tpu-v3");
  const CompiledStep slow = step_of(options, sw::read_target(config));
  EXPECT_FALSE(slow.shareable());
  config.set("ici.link_rate=1000000 Gb/s");
  const CompiledStep fast = step_of(options, sw::read_target(config));
  EXPECT_FALSE(text_of(slow) == text_of(fast));
}

}  // namespace
}  // namespace podsim::app::run
