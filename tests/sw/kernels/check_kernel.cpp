// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/kernels/check_kernel.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "sw/kernels/verify.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/kernels/run_kernel.h"

namespace podsim::sw {

namespace {

bool same_bits(const Literal& a, const Literal& b) {
  const auto bits = [](double value) {
    return std::isnan(value) ? ~std::uint64_t(0) : std::bit_cast<std::uint64_t>(value);
  };
  return std::ranges::equal(a.values, b.values, {}, bits, bits);
}

hw::BundleRunResult run_and_verify(const hw::Machine& machine, const Kernel& kernel, InputKind kind) {
  const std::vector<Literal> inputs = random_inputs(kernel, 1, kind);
  hw::DeviceMemory hbm(machine.hbm.capacity_per_core);
  for (std::size_t i = 0; i < inputs.size(); ++i) write_array(hbm, kernel.inputs[i], inputs[i]);
  hw::BundleRunResult run = hw::run_bundles(machine, kernel.program, hbm);
  const Verification found = verify_outputs(kernel, inputs, hbm);
  EXPECT_EQ(found.differing, 0) << kernel.name << (kind == InputKind::special ? ", special values" : "") << ": element "
                                << (found.worst.index.empty() ? 0 : found.worst.index.back()) << " is "
                                << found.worst.found << ", not " << found.worst.expected;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(same_bits(read_array(hbm, kernel.inputs[i]), inputs[i])) << kernel.name << " changed its input " << i;
  }
  return run;
}

}  // namespace

hw::Machine machine_with_vmem(std::int64_t kibibytes) {
  hw::Machine machine = hw::tpu_v3();
  machine.vmem = base::Bytes(kibibytes * 1024);
  return machine;
}

hw::BundleRunResult expect_reference(const hw::Machine& machine, const Kernel& kernel) {
  run_and_verify(machine, kernel, InputKind::special);
  return run_and_verify(machine, kernel, InputKind::finite);
}

hw::BundleRunResult expect_reference(const hw::Machine& machine, const KernelFamily& family,
                                     const KernelValues& values) {
  return expect_reference(machine, family.build(machine, arguments_of(family, values)));
}

hw::BundleRunResult time_of(const hw::Machine& machine, const Kernel& kernel) {
  hw::DeviceMemory hbm(machine.hbm.capacity_per_core);
  hw::BundleRunOptions options;
  options.functional = false;
  return hw::run_bundles(machine, kernel.program, hbm, options);
}

OpTotals totals_of(const hw::TileOp& op) {
  OpTotals totals;
  for (const hw::TileRun& run : op.runs) {
    for (const hw::TilePhase& phase : run.work.phases) {
      totals.loads += run.count * phase.vector.loads;
      totals.stores += run.count * phase.vector.stores;
      totals.alu_ops += run.count * phase.vector.alu_ops;
      totals.cross_lane_ops += run.count * phase.cross_lane_ops;
    }
    for (const hw::TileTransfer& read : run.work.reads) totals.read += run.count * read.bytes.value();
    for (const hw::TileTransfer& write : run.work.writes) totals.written += run.count * write.bytes.value();
  }
  return totals;
}

void expect_work_of_tile_level(const Kernel& kernel, const hw::BundleRunResult& run) {
  const OpTotals totals = totals_of(kernel.tile_op);
  const auto used = [&](hw::isa::Slot slot) { return run.slot_use[std::size_t(slot)]; };
  EXPECT_EQ(used(hw::isa::Slot::load), totals.loads) << kernel.name;
  EXPECT_EQ(used(hw::isa::Slot::store), totals.stores) << kernel.name;
  EXPECT_EQ(used(hw::isa::Slot::push), totals.cross_lane_ops) << kernel.name;
  EXPECT_EQ(run.hbm_read.value(), totals.read) << kernel.name;
  EXPECT_EQ(run.hbm_written.value(), totals.written) << kernel.name;
  // What is written for all tiles at once, masks and the like, is not counted.
  EXPECT_GE(used(hw::isa::Slot::vector0) + used(hw::isa::Slot::vector1), totals.alu_ops) << kernel.name;
}

double hbm_cycles(const hw::Machine& machine, const Kernel& kernel) {
  const OpTotals totals = totals_of(kernel.tile_op);
  const double bytes =
      double(totals.read + totals.written) + machine.hbm.turnaround * double(std::min(totals.read, totals.written));
  const double latency = double((machine.dma.read_latency + machine.dma.write_latency).value());
  return bytes / machine.hbm.stream_rate.si() * machine.clock.si() + latency;
}

}  // namespace podsim::sw
