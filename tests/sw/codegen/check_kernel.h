// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hw/bundle/bundle_run.h"
#include "sw/codegen/families/kernel.h"
#include "sw/target_machine.h"

namespace podsim::sw::codegen {

using KernelValues = std::map<std::string, std::string>;

/// A TPU v3 core whose VMEM holds only a few tiles, so that small arrays take many.
TargetMachine machine_with_vmem(std::int64_t kibibytes);

/// Runs the kernel bundle by bundle on random inputs, with NaN and infinities in a second run, and expects its outputs
/// to equal those of the reference evaluator (validation/kernels/verify.h), and its inputs to be unchanged.
hw::bundle::BundleRunResult expect_reference(const hw::Machine& machine, const families::Kernel& kernel);
hw::bundle::BundleRunResult expect_reference(const TargetMachine& machine, const families::KernelFamily& family,
                                             const KernelValues& values);

/// Runs it without data.
hw::bundle::BundleRunResult time_of(const hw::Machine& machine, const families::Kernel& kernel);

/// Work of all tiles of an op, and bytes that they move.
struct OpTotals {
  std::int64_t loads = 0, stores = 0, alu_ops = 0, lane_moves = 0;
  std::int64_t read = 0, written = 0;
};
OpTotals totals_of(const hw::TileOp& op);

/// Expects a run to have issued the work that the tile level counts: loads, stores and cross-lane operations one by
/// one, and the same bytes over HBM.
void expect_work_of_tile_level(const families::Kernel& kernel, const hw::bundle::BundleRunResult& run);

/// Least time of HBM for a kernel's bytes, reading and writing at once, with the latency of the first read and the last
/// write.
double hbm_cycles(const hw::Machine& machine, const families::Kernel& kernel);

}  // namespace podsim::sw::codegen
