// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/elementwise_kernel.h"

#include <random>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "sw/codegen/families/stream/elementwise_chain.h"
#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"

namespace podsim::sw::codegen::families::stream {
namespace {

TEST(ElementwiseKernel, EveryChainComputesWhatItsGraphSays) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  for (const ElementwiseChain& chain : elementwise_chains()) {
    for (const char* dtype : {"f32", "bf16"}) {
      expect_reference(machine, elementwise_family(),
                       {{"op", chain.name}, {"rows", "50"}, {"columns", "130"}, {"dtype", dtype}});
    }
  }
}

TEST(ElementwiseKernel, AnySizeWillDo) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  for (const char* rows : {"0", "1", "7", "8", "9"}) {
    for (const char* columns : {"0", "1", "127", "128", "129", "257"}) {
      for (const char* dtype : {"f32", "bf16"}) {
        expect_reference(machine, elementwise_family(),
                         {{"op", "add"}, {"rows", rows}, {"columns", columns}, {"dtype", dtype}});
      }
    }
  }
}

TEST(ElementwiseKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(512);
  std::mt19937 random(5);
  for (int i = 0; i < 12; ++i) {
    expect_reference(machine, elementwise_family(),
                     {{"op", i % 2 == 0 ? "gelu" : "scale_add_relu"},
                      {"rows", std::to_string(random() % 200)},
                      {"columns", std::to_string(random() % 700)},
                      {"dtype", i % 3 == 0 ? "bf16" : "f32"}});
  }
}

TEST(ElementwiseKernel, WhatDoesNotFitIsRefused) {
  const KernelFamily family = elementwise_family();
  const KernelArguments large = arguments_of(family, {{"rows", "16777216"}, {"columns", "16777216"}});
  EXPECT_THROW(family.build(machine_with_vmem(16 * 1024), large), base::InputError);
  const KernelArguments small = arguments_of(family, {{"rows", "1024"}, {"columns", "1024"}});
  EXPECT_THROW(family.build(machine_with_vmem(32), small), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::stream
