// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/diagnostic.h"
#include "hw/bundle/bundle_run.h"
#include "sw/codegen/kernel_families.h"
#include "tests/sw/codegen/run_kernel.h"
#include "tests/sw/target_machines.h"

/// Machines with short result FIFOs.
namespace podsim::sw::codegen {
namespace {

/// The kernel runs to its end, or is refused with the key that is too small. A deadlock is a SimulationError.
void expect_to_run_or_be_refused(const families::KernelFamily& family, const std::map<std::string, std::string>& values,
                                 const std::string& key, int depth) {
  base::Config config = hw::machine_file("tpu-v3");
  config.set(key + "=" + std::to_string(depth));
  const TargetMachine machine = read_target(config);
  SCOPED_TRACE(family.name + " with " + key + "=" + std::to_string(depth));
  try {
    const families::Kernel kernel = family.build(machine, arguments_of(family, values));
    hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
    hw::bundle::BundleRunOptions options;
    options.functional = false;
    options.before = kernel.before;
    options.after = kernel.after;
    EXPECT_GT(hw::bundle::run_bundles(machine, kernel.program, hbm, options).cycles, base::Cycles(0));
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'" + key + "'"), std::string::npos) << error.what();
  } catch (const base::SimulationError& error) {
    FAIL() << error.what();
  }
}

TEST(ResultFifo, EveryKernelRunsWithAShortOneOrIsRefused) {
  for (const families::KernelFamily& family : kernel_families()) {
    for (const char* key : {"cross_lane.result_fifo_registers", "vector.transcendental_fifo_registers"}) {
      for (int depth : {1, 2, 3}) {
        expect_to_run_or_be_refused(family, {}, key, depth);
        if (family.name == "reduce") expect_to_run_or_be_refused(family, {{"over", "rows"}}, key, depth);
        if (family.name == "softmax") expect_to_run_or_be_refused(family, {{"passes", "1"}}, key, depth);
      }
    }
  }
}

/// The code of a row pops every result before it pushes the next one.
TEST(ResultFifo, OfOneRegisterSufficesForRowsOfSoftmax) {
  base::Config config = hw::machine_file("tpu-v3");
  config.set("cross_lane.result_fifo_registers=1");
  const TargetMachine machine = read_target(config);
  for (const families::KernelFamily& family : kernel_families()) {
    if (family.name != "softmax") continue;
    EXPECT_NO_THROW(family.build(machine, arguments_of(family, {})));
  }
}

}  // namespace
}  // namespace podsim::sw::codegen
