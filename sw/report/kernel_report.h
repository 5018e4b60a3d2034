// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/bundle/bundle_run.h"
#include "hw/machine.h"
#include "sw/kernels/verify.h"

/// One run of a program on a core, bundle by bundle, as the reports see it, and its reports.
namespace podsim::sw {

/// What a generated kernel would take by arithmetic alone, without a simulation:
///
///   roofline = max(flops / peak, bytes / HBM rate)   everything overlaps
///   serial   = flops / peak + bytes / HBM rate       nothing does
///
/// `bytes` are those of its arrays as they lie in HBM, padding included, each moved once.
struct ClosedForm {
  double compute_s = 0, memory_s = 0;
  double roofline_s() const { return compute_s > memory_s ? compute_s : memory_s; }
  double serial_s() const { return compute_s + memory_s; }
};
ClosedForm closed_form(const hw::Machine& machine, const Kernel& kernel);

/// What is known of a kernel that was generated, beyond its program.
struct GeneratedKernel {
  double flops = 0;
  ClosedForm closed_form;
  std::string passes;       ///< over HBM, in words
  base::Cycles tile_level;  ///< what the tile level takes for it
};

struct KernelReport {
  std::string kernel;  ///< file, or "matmul m=256 n=256 k=256"
  hw::Machine machine;
  bool functional = true;
  hw::MatrixUnitView matrix_view = hw::MatrixUnitView::event;
  hw::BundleRunResult result;
  std::optional<GeneratedKernel> generated;
  std::optional<Verification> verification;
  /// Whether its results were checked and right: against the reference, or what a program expects. Nothing: unchecked.
  std::optional<bool> verified;
  std::vector<std::string> warnings;
  double simulation_s = 0;  ///< host time of the simulation alone
  double wall_s = 0;        ///< host time of the whole command

  double time_s() const;
  /// Cycles in which LHS rows entered a matrix unit, of all cycles and units.
  double mxu_utilization() const;
  /// Bytes moved over what the HBM streams at its sustained rate.
  double hbm_utilization() const;
  /// Operations in the vector ALU slots, of all cycles and both slots.
  double valu_utilization() const;
};

/// What a person reads in ten seconds.
std::string kernel_text(const KernelReport& report);
/// One JSON object with the keys that `podsim kernel --json` promises.
std::string kernel_json(const KernelReport& report);

}  // namespace podsim::sw
