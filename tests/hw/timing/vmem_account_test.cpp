// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/vmem_account.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::hw::timing {
namespace {

TEST(VmemAccount, KeepsTheUseAndItsPeak) {
  VmemAccount vmem(base::Bytes(1000), "core0");
  vmem.allocate("a", base::Bytes(600));
  vmem.allocate("b", base::Bytes(400));
  vmem.release(base::Bytes(600));
  EXPECT_EQ(vmem.used(), base::Bytes(400));
  EXPECT_EQ(vmem.peak(), base::Bytes(1000));
}

TEST(VmemAccount, AnOpThatDoesNotFitIsAVerdictNamingOpSizesAndCore) {
  VmemAccount vmem(base::Bytes(16 << 20), "chip(0,0).core1");
  try {
    vmem.allocate("conv fusion", base::Bytes(20 << 20));
    FAIL();
  } catch (const base::SimulationError& error) {
    const std::string text = error.what();
    for (const char* part : {"chip(0,0).core1", "conv fusion", "20 MiB", "16 MiB"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace podsim::hw::timing
