// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "hw/bundle/bundle_run.h"
#include "hw/isa/pasm/assembler.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle {
namespace {

const std::filesystem::path folder = std::filesystem::path(PODSIM_SOURCE_DIR) / "tests/hw/isa/programs";

/// The expectations that a program's memories do not meet.
std::vector<std::size_t> differences(const isa::Program& program) {
  const Machine machine = tpu_v3();
  memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  std::vector<std::size_t> counts;
  for (const FailedExpectation& failed : run_bundles(machine, program, hbm).failed)
    counts.push_back(failed.differences);
  return counts;
}

class ExampleProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(ExampleProgram, ComputesWhatItExpects) {
  isa::Program program = isa::pasm::assemble(GetParam(), file_text(folder / GetParam()));
  ASSERT_FALSE(program.expectations.empty());
  EXPECT_EQ(differences(program), std::vector<std::size_t>{});
  // And the check can fail: of the expected words the first is another one.
  program.expectations[0].words[0] ^= 0x40000000;
  EXPECT_EQ(differences(program), std::vector<std::size_t>{1});
}

TEST_P(ExampleProgram, IsQuotedInTheReference) {
  std::string text = file_text(folder / GetParam());
  std::size_t code = text.find('\n') + 1;  // after the line with the licence
  EXPECT_NE(file_text(std::filesystem::path(PODSIM_SOURCE_DIR) / "docs/isa.md").find(text.substr(code)),
            std::string::npos);
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Isa, ExampleProgram, ::testing::ValuesIn(programs()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

}  // namespace
}  // namespace podsim::hw::bundle
