// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hw/bundle/bundle_run.h"
#include "hw/isa/encoding.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/codegen/random_kernel.h"

/// Scheduled programs on the core compute the results of their operations one after the other, in any order and with
/// any registers. A run to the end also shows that they have no hazard and no deadlock.
namespace podsim::sw::codegen {
namespace {

/// Words of memory in the end, as TwinKernel::finish() sends them to HBM.
std::vector<std::uint32_t> run_scheduled(const hw::isa::Program& program, std::size_t words) {
  for (const hw::isa::Bundle& bundle : program.segments[0].bundles) {
    RC_ASSERT(hw::isa::problem(bundle) == std::nullopt);
  }
  hw::memory::DeviceMemory hbm(hw::the_tpu_v3().hbm.capacity_per_core);
  hw::bundle::BundleRunOptions options;
  options.limit = base::Cycles(10'000'000);
  hw::bundle::run_bundles(hw::the_tpu_v3(), program, hbm, options);
  std::vector<std::uint32_t> found(words);
  hbm.read(0, found);
  return found;
}

std::vector<std::uint32_t> run_plainly(const TwinKernel& twin, int rows, int words) {
  PlainCore core;
  twin.run(core);
  std::vector<std::uint32_t> found;
  for (int r = 0; r < rows; ++r)
    found.insert(found.end(), core.vmem[std::size_t(r)].begin(), core.vmem[std::size_t(r)].end());
  for (int w = 0; w < words; ++w) found.push_back(std::uint32_t(core.smem[std::size_t(w)]));
  return found;
}

void agree(RandomKernel&& kernel) {
  TwinKernel& twin = kernel.twin();
  const hw::isa::Program program = std::move(kernel).finish();
  const auto expected = run_plainly(twin, RandomKernel::rows, RandomKernel::words);
  RC_ASSERT(run_scheduled(program, expected.size()) == expected);
}

TEST(Schedule, StraightCodeComputesWhatWasWritten) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    RandomKernel kernel(hw::the_tpu_v3(), seed);
    kernel.write_code(60);
    agree(std::move(kernel));
  }));
}

TEST(Schedule, LoopsComputeWhatWasWritten) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    RandomKernel kernel(hw::the_tpu_v3(), seed);
    kernel.write_loop(3 + kernel.below(25), registers::LoopSchedule::plain);
    agree(std::move(kernel));
  }));
}

TEST(Schedule, PipelinedLoopsComputeWhatWasWritten) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    RandomKernel kernel(hw::the_tpu_v3(), seed);
    kernel.write_loop(3 + kernel.below(25), registers::LoopSchedule::pipelined);
    agree(std::move(kernel));
  }));
}

TEST(Schedule, LongPipelinedLoopsComputeWhatWasWritten) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    RandomKernel kernel(hw::the_tpu_v3(), seed);
    kernel.write_loop(1 + kernel.below(10), registers::LoopSchedule::pipelined, 200);
    kernel.write_stream(200);
    agree(std::move(kernel));
  }));
}

TEST(Schedule, LoopsInLoopsComputeWhatWasWritten) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    RandomKernel kernel(hw::the_tpu_v3(), seed);
    kernel.write_nest(15, 1);
    agree(std::move(kernel));
  }));
}

}  // namespace
}  // namespace podsim::sw::codegen
