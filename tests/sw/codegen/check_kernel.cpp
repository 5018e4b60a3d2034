// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/codegen/check_kernel.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/sw/codegen/run_kernel.h"
#include "tests/sw/target_machines.h"
#include "validation/kernels/verify.h"

namespace podsim::sw::codegen {

namespace {

bool same_bits(const hlo::Literal& a, const hlo::Literal& b) {
  const auto bits = [](double value) {
    return std::isnan(value) ? ~std::uint64_t(0) : std::bit_cast<std::uint64_t>(value);
  };
  return std::ranges::equal(a.values, b.values, {}, bits, bits);
}

hw::bundle::BundleRunResult run_and_verify(const hw::Machine& machine, const families::Kernel& kernel,
                                           validation::kernels::InputKind kind) {
  const std::vector<hlo::Literal> inputs = validation::kernels::random_inputs(kernel, 1, kind);
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  for (std::size_t i = 0; i < inputs.size(); ++i) families::write_array(hbm, kernel.inputs[i], inputs[i]);
  hw::bundle::BundleRunResult run = hw::bundle::run_bundles(machine, kernel.program, hbm);
  const validation::kernels::Verification found = validation::kernels::verify_outputs(kernel, inputs, hbm);
  EXPECT_EQ(found.differing, 0) << kernel.name
                                << (kind == validation::kernels::InputKind::special ? ", special values" : "")
                                << ": element " << (found.worst.index.empty() ? 0 : found.worst.index.back()) << " is "
                                << found.worst.found << ", not " << found.worst.expected;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(same_bits(families::read_array(hbm, kernel.inputs[i]), inputs[i]))
        << kernel.name << " changed its input " << i;
  }
  return run;
}

}  // namespace

TargetMachine machine_with_vmem(std::int64_t kibibytes) {
  TargetMachine machine = tpu_v3();
  machine.vmem = base::Bytes(kibibytes * 1024);
  return machine;
}

hw::bundle::BundleRunResult expect_reference(const hw::Machine& machine, const families::Kernel& kernel) {
  run_and_verify(machine, kernel, validation::kernels::InputKind::special);
  return run_and_verify(machine, kernel, validation::kernels::InputKind::finite);
}

hw::bundle::BundleRunResult expect_reference(const TargetMachine& machine, const families::KernelFamily& family,
                                             const KernelValues& values) {
  return expect_reference(machine, family.build(machine, arguments_of(family, values)));
}

hw::bundle::BundleRunResult time_of(const hw::Machine& machine, const families::Kernel& kernel) {
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  hw::bundle::BundleRunOptions options;
  options.functional = false;
  return hw::bundle::run_bundles(machine, kernel.program, hbm, options);
}

OpTotals totals_of(const hw::TileOp& op) {
  OpTotals totals;
  for (const hw::TileRun& run : op.runs) {
    for (const hw::TilePhase& phase : run.work.phases) {
      totals.loads += run.count * phase.of<hw::Vector>().loads;
      totals.stores += run.count * phase.of<hw::Vector>().stores;
      totals.alu_ops += run.count * phase.of<hw::Vector>().alu_ops;
      totals.lane_moves += run.count * phase.of<hw::CrossLane>().operations;
    }
    for (const hw::TileTransfer& read : run.work.reads) totals.read += run.count * read.bytes.value();
    for (const hw::TileTransfer& write : run.work.writes) totals.written += run.count * write.bytes.value();
  }
  return totals;
}

void expect_work_of_tile_level(const families::Kernel& kernel, const hw::bundle::BundleRunResult& run) {
  const OpTotals totals = totals_of(kernel.tile_op);
  const auto used = [&](hw::isa::Slot slot) { return run.slot_use[std::size_t(slot)]; };
  EXPECT_EQ(used(hw::isa::Slot::load), totals.loads) << kernel.name;
  EXPECT_EQ(used(hw::isa::Slot::store), totals.stores) << kernel.name;
  EXPECT_EQ(used(hw::isa::Slot::push), totals.lane_moves) << kernel.name;
  EXPECT_EQ(run.hbm_read.value(), totals.read) << kernel.name;
  EXPECT_EQ(run.hbm_written.value(), totals.written) << kernel.name;
  // Code that is written once for all tiles, such as masks, is not counted.
  EXPECT_GE(used(hw::isa::Slot::vector0) + used(hw::isa::Slot::vector1), totals.alu_ops) << kernel.name;
}

double hbm_cycles(const hw::Machine& machine, const families::Kernel& kernel) {
  const OpTotals totals = totals_of(kernel.tile_op);
  const double bytes =
      double(totals.read + totals.written) + machine.hbm.turnaround * double(std::min(totals.read, totals.written));
  const double latency = double((machine.dma.read_latency + machine.dma.write_latency).value());
  return bytes / machine.hbm.stream_rate.si() * machine.clock.si() + latency;
}

}  // namespace podsim::sw::codegen
