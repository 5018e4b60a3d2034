// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/reduction_kernel.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"

namespace podsim::sw::codegen::families::stream {
namespace {

TEST(ReductionKernel, EveryReductionOfAnySize) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  const char* operations[] = {"sum", "max", "min", "mean"};
  int number = 0;
  for (const char* over : {"columns", "rows"}) {
    for (const char* rows : {"0", "1", "7", "129"}) {
      for (const char* columns : {"0", "1", "127", "128", "129", "1300"}) {
        for (const char* dtype : {"f32", "bf16"}) {
          expect_reference(machine, reduction_family(),
                           {{"op", operations[number++ % 4]},
                            {"over", over},
                            {"rows", rows},
                            {"columns", columns},
                            {"dtype", dtype}});
        }
      }
    }
  }
}

TEST(ReductionKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(1536);
  std::mt19937 random(8);
  for (int i = 0; i < 8; ++i) {
    expect_reference(machine, reduction_family(),
                     {{"op", i % 3 == 0 ? "mean" : "max"},
                      {"over", i % 2 == 0 ? "columns" : "rows"},
                      {"rows", std::to_string(random() % 600)},
                      {"columns", std::to_string(random() % 2500)},
                      {"dtype", i % 4 < 2 ? "bf16" : "f32"}});
  }
}

}  // namespace
}  // namespace podsim::sw::codegen::families::stream
