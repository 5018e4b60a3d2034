// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/attention/decode_attention_kernel.h"

#include <random>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families::attention {
namespace {

KernelValues small(const KernelValues& more) {
  KernelValues values{{"sequences", "2"}, {"heads", "2"}};
  if (!more.contains("lengths")) values["cached"] = "70";
  for (const auto& [name, value] : more) values[name] = value;
  return values;
}

Kernel decode_kernel(const KernelValues& values) {
  const KernelFamily family = decode_attention_family();
  return family.build(tpu_v3(), arguments_of(family, values));
}

TEST(DecodeAttentionKernel, ContiguousRaggedPagedAndGroupedCachesOfBothTypes) {
  const TargetMachine machine = tpu_v3();
  for (const char* dtype : {"f32", "bf16"}) {
    const KernelValues layouts[] = {
        {}, {{"lengths", "100,37"}}, {{"lengths", "9,200"}, {"page", "16"}}, {{"heads", "6"}, {"key-heads", "2"}}};
    for (KernelValues values : layouts) {
      values["dtype"] = dtype;
      expect_reference(machine, decode_attention_family(), small(values));
    }
  }
}

TEST(DecodeAttentionKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(1024);
  std::mt19937 random(3);
  for (int i = 0; i < 8; ++i) {
    const int key_heads = 1 + int(random() % 3), group = 1 + int(random() % 3), sequences = 1 + int(random() % 3);
    std::string lengths = std::to_string(1 + random() % 700);
    for (int s = 1; s < sequences; ++s) lengths += "," + std::to_string(1 + random() % 700);
    const char* pages[] = {"none", "8", "32", "128"};
    expect_reference(machine, decode_attention_family(),
                     {{"sequences", std::to_string(sequences)},
                      {"heads", std::to_string(key_heads * group)},
                      {"key-heads", std::to_string(key_heads)},
                      {"head-dim", std::to_string(1 + random() % 128)},
                      {"lengths", lengths},
                      {"page", pages[random() % 4]},
                      {"dtype", i % 2 == 0 ? "bf16" : "f32"}});
  }
}

TEST(DecodeAttentionKernel, OneCachedTokenGivesItsValue) {
  const Kernel kernel = decode_kernel(small({{"cached", "1"}}));
  const std::vector<hlo::Literal> inputs = random_inputs_of(kernel, 1);
  const hlo::Literal result = run_kernel(tpu_v3(), kernel, inputs).output;
  for (std::size_t i = 0; i < result.values.size(); ++i) EXPECT_NEAR(result.values[i], inputs[2].values[i], 1e-6) << i;
}

TEST(DecodeAttentionKernel, EqualKeysGiveTheMeanOfTheValuesOfEachLength) {
  const Kernel kernel = decode_kernel({{"sequences", "2"}, {"heads", "1"}, {"head-dim", "4"}, {"lengths", "90,37"}});
  std::vector<hlo::Literal> inputs = random_inputs_of(kernel, 2);
  for (double& key : inputs[1].values) key = 0.5;
  const hlo::Literal result = run_kernel(tpu_v3(), kernel, inputs).output;
  const int lengths[] = {90, 37};
  for (int sequence = 0; sequence < 2; ++sequence) {
    for (int lane = 0; lane < 4; ++lane) {
      double sum = 0;
      for (int token = 0; token < lengths[sequence]; ++token)
        sum += inputs[2].values[std::size_t((sequence * 90 + token) * 4 + lane)];
      EXPECT_NEAR(result.values[std::size_t(sequence * 4 + lane)], sum / lengths[sequence], 1e-5);
    }
  }
}

// 2 sequences x 2 heads: 96 tokens are 12 tiles of 4 KiB of keys and of values; 2 planes of queries, and of results,
// are a tile each.
TEST(DecodeAttentionKernel, ReadsTheCacheOnce) {
  const Kernel kernel = decode_kernel(small({{"cached", "96"}}));
  const hw::bundle::BundleRunResult run = time_of(tpu_v3(), kernel);
  EXPECT_EQ(run.hbm_read.value(), 2 * 2 * 2 * 12 * 4096 + 2 * 4096);
  EXPECT_EQ(run.hbm_written.value(), 2 * 4096);
  EXPECT_EQ(totals_of(kernel.tile_op).read, run.hbm_read.value());
  EXPECT_EQ(totals_of(kernel.tile_op).written, run.hbm_written.value());
}

TEST(DecodeAttentionKernel, ReadsPagesOfVisibleTokensOnly) {
  // 100 and 37 tokens are 7 and 3 pages of 16 tokens, 8 KiB each in f32.
  const Kernel kernel = decode_kernel({{"sequences", "2"}, {"heads", "1"}, {"lengths", "100,37"}, {"page", "16"}});
  EXPECT_EQ(time_of(tpu_v3(), kernel).hbm_read.value(), 2 * (7 + 3) * 8192 + 2 * 4096);
}

TEST(DecodeAttentionKernel, RefusesGroupsAndLengthsThatDoNotFit) {
  EXPECT_THROW(decode_kernel(small({{"heads", "3"}, {"key-heads", "2"}})), base::InputError);
  EXPECT_THROW(decode_kernel(small({{"lengths", "1,2,3"}})), base::InputError);
  EXPECT_THROW(decode_kernel(small({{"lengths", "70,70"}, {"cached", "70"}})), base::InputError);
}

// A name has the tokens that are cached, once.
TEST(DecodeAttentionKernel, IsNamedByItsLengthsOrByThatOfAll) {
  EXPECT_NE(decode_kernel({}).name.find(" cached=512 "), std::string::npos);
  const std::string ragged = decode_kernel({{"sequences", "2"}, {"lengths", "9,7"}}).name;
  EXPECT_NE(ragged.find(" lengths=9,7 "), std::string::npos);
  EXPECT_EQ(ragged.find("cached"), std::string::npos);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::attention
