// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/transpose_kernel.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"

namespace podsim::sw::codegen::families::stream {
namespace {

TEST(TransposeKernel, AnySizeWillDo) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  for (const char* dtype : {"f32", "bf16"}) {
    for (const char* rows : {"0", "1", "8", "127", "257"}) {
      for (const char* columns : {"0", "1", "9", "128", "300"}) {
        expect_reference(machine, transpose_family(), {{"rows", rows}, {"columns", columns}, {"dtype", dtype}});
      }
    }
  }
}

TEST(TransposeKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(512);
  std::mt19937 random(7);
  for (int i = 0; i < 8; ++i) {
    expect_reference(machine, transpose_family(),
                     {{"rows", std::to_string(random() % 600)},
                      {"columns", std::to_string(random() % 600)},
                      {"dtype", i % 2 == 0 ? "bf16" : "f32"}});
  }
}

}  // namespace
}  // namespace podsim::sw::codegen::families::stream
