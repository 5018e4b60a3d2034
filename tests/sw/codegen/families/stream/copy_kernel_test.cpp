// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/copy_kernel.h"

#include <random>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"

namespace podsim::sw::codegen::families::stream {
namespace {

constexpr const char* changes[] = {"none", "convert", "layout", "tile", "untile"};

bool has_dtype(const std::string& change, const std::string& dtype) {
  return dtype == "f32" || (change != "tile" && change != "untile");
}

TEST(CopyKernel, EveryChangeOfAnySize) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  for (const char* change : changes) {
    for (const char* dtype : {"f32", "bf16"}) {
      if (!has_dtype(change, dtype)) continue;
      for (const char* rows : {"0", "1", "9", "129"}) {
        for (const char* columns : {"0", "1", "127", "130"}) {
          expect_reference(machine, copy_family(),
                           {{"change", change}, {"rows", rows}, {"columns", columns}, {"dtype", dtype}});
        }
      }
    }
  }
}

TEST(CopyKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(512);
  std::mt19937 random(6);
  for (int i = 0; i < 15; ++i) {
    const char* change = changes[i % 5];
    expect_reference(machine, copy_family(),
                     {{"change", change},
                      {"rows", std::to_string(random() % 400)},
                      {"columns", std::to_string(random() % 400)},
                      {"dtype", i % 2 == 0 && has_dtype(change, "bf16") ? "bf16" : "f32"}});
  }
}

TEST(CopyKernel, HalvesOfWordsAreNotMovedByWords) {
  const KernelFamily family = copy_family();
  for (const char* change : {"tile", "untile"}) {
    EXPECT_THROW(
        family.build(machine_with_vmem(16 * 1024), arguments_of(family, {{"change", change}, {"dtype", "bf16"}})),
        base::InputError);
  }
}

}  // namespace
}  // namespace podsim::sw::codegen::families::stream
