// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "hw/bundle/bundle_run.h"
#include "hw/isa/pasm/assembler.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle {
namespace {

const std::filesystem::path kernel_examples = std::filesystem::path(PODSIM_SOURCE_DIR) / "examples/kernels";

std::vector<std::string> kernel_example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kernel_examples)) {
    if (entry.path().extension() == ".pasm") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

BundleRunResult run_of_example(const isa::Program& program) {
  const Machine machine = tpu_v3();
  memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  return run_bundles(machine, program, hbm);
}

class KernelExample : public ::testing::TestWithParam<std::string> {};

// The closed form of every result is in the file.
TEST_P(KernelExample, ComputesWhatItExpects) {
  const isa::Program program = isa::pasm::assemble(GetParam(), file_text(kernel_examples / GetParam()));
  ASSERT_FALSE(program.expectations.empty());
  for (const FailedExpectation& failed : run_of_example(program).failed) {
    ADD_FAILURE() << failed.expectation->location.line_text << ": word " << failed.first << " is " << failed.found
                  << " and not " << failed.expected;
  }
}

// A program whose data are all 0 does not pass, so an expectation depends on what the program computes.
TEST_P(KernelExample, NeedsItsData) {
  isa::Program program = isa::pasm::assemble(GetParam(), file_text(kernel_examples / GetParam()));
  for (isa::DataBlock& block : program.data) {
    if (block.space != isa::MemorySpace::smem) std::ranges::fill(block.words, 0);
  }
  EXPECT_FALSE(run_of_example(program).failed.empty());
}

INSTANTIATE_TEST_SUITE_P(Isa, KernelExample, ::testing::ValuesIn(kernel_example_names()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

}  // namespace
}  // namespace podsim::hw::bundle
