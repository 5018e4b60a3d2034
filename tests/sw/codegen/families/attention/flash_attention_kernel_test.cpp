// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/flash_attention_kernel.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families::attention {
namespace {

Kernel flash_kernel(const TargetMachine& machine, const KernelValues& values) {
  const KernelFamily family = flash_attention_family();
  return family.build(machine, arguments_of(family, values));
}

TEST(FlashAttentionKernel, ChunksWithAndWithoutTokensBeforeThem) {
  const TargetMachine machine = tpu_v3();
  for (const char* depth : {"64", "128"}) {
    for (const char* dtype : {"f32", "bf16"}) {
      for (const char* cached : {"0", "70"}) {
        expect_reference(
            machine, flash_attention_family(),
            {{"heads", "2"}, {"head-dim", depth}, {"queries", "100"}, {"cached", cached}, {"dtype", dtype}});
      }
    }
  }
}

TEST(FlashAttentionKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(768);
  std::mt19937 random(5);
  for (int i = 0; i < 4; ++i) {
    const int key_heads = 1 + int(random() % 2), group = 1 + int(random() % 2);
    expect_reference(machine, flash_attention_family(),
                     {{"heads", std::to_string(key_heads * group)},
                      {"key-heads", std::to_string(key_heads)},
                      {"head-dim", std::to_string(1 + random() % 128)},
                      {"queries", std::to_string(1 + random() % 150)},
                      {"cached", std::to_string(random() % 400)},
                      {"dtype", i % 2 == 0 ? "bf16" : "f32"}});
  }
}

TEST(FlashAttentionKernel, TheFirstTokenGetsItsOwnValue) {
  const Kernel kernel = flash_kernel(tpu_v3(), {{"heads", "1"}, {"queries", "20"}});
  const std::vector<hlo::Literal> inputs = random_inputs_of(kernel, 1);
  const hlo::Literal result = run_kernel(tpu_v3(), kernel, inputs).output;
  for (std::size_t lane = 0; lane < 128; ++lane) {  // values are rounded to 8 bits
    EXPECT_NEAR(result.values[lane], inputs[2].values[lane], std::ldexp(2, -8)) << lane;
  }
}

TEST(FlashAttentionKernel, ALaterTokenChangesNoEarlierResult) {
  const Kernel kernel = flash_kernel(machine_with_vmem(1024), {{"heads", "1"}, {"queries", "300"}, {"cached", "40"}});
  std::vector<hlo::Literal> inputs = random_inputs_of(kernel, 2);
  const hlo::Literal before = run_kernel(tpu_v3(), kernel, inputs).output;
  for (int array : {1, 2}) {  // key and value of query 200
    for (std::size_t lane = 0; lane < 128; ++lane) inputs[std::size_t(array)].values[(40 + 200) * 128 + lane] += 1;
  }
  const hlo::Literal after = run_kernel(tpu_v3(), kernel, inputs).output;
  for (std::size_t i = 0; i < 200 * 128; ++i) ASSERT_EQ(after.values[i], before.values[i]) << "query " << i / 128;
  EXPECT_NE(after.values[200 * 128], before.values[200 * 128]);
}

TEST(FlashAttentionKernel, MovesTheBytesOfItsTiles) {
  const Kernel kernel = flash_kernel(machine_with_vmem(1024), {{"heads", "2"}, {"queries", "300"}, {"cached", "40"}});
  const hw::bundle::BundleRunResult run = time_of(tpu_v3(), kernel);
  EXPECT_EQ(totals_of(kernel.tile_op).read, run.hbm_read.value());
  EXPECT_EQ(run.hbm_written.value(), 2 * 38 * 4096);  // 300 rows are 38 tiles of 4 KiB
}

TEST(FlashAttentionKernel, RefusesGroupsThatDoNotDivideTheHeads) {
  EXPECT_THROW(flash_kernel(tpu_v3(), {{"heads", "3"}, {"key-heads", "2"}}), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::attention
