// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/activity.h"
#include "hw/bundle/bundle_run.h"
#include "hw/machine.h"
#include "sw/target_machine.h"
#include "validation/kernels/compiled_run.h"
#include "validation/kernels/verify.h"

/// One run of a program on a core, bundle by bundle, and its reports.
namespace podsim::report {

/// The time of a generated kernel by arithmetic, without a simulation:
///
///   roofline = max(flops / peak, bytes / HBM rate)   everything overlaps
///   serial   = flops / peak + bytes / HBM rate       nothing overlaps
///
/// `bytes` are those of its arrays in HBM, including padding, each moved once.
struct ClosedForm {
  double compute_s = 0, memory_s = 0;
  double roofline_s() const { return compute_s > memory_s ? compute_s : memory_s; }
  double serial_s() const { return compute_s + memory_s; }
};
ClosedForm closed_form(const hw::Machine& machine, const sw::codegen::families::Kernel& kernel);

/// Additional data of a generated kernel.
struct GeneratedKernel {
  double flops = 0;
  ClosedForm closed_form;
  std::string passes;                        ///< passes over HBM, in words
  base::Cycles tile_level;                   ///< its duration at tile level
  hw::Activity tiles;                        ///< what it does there
  validation::kernels::CompiledRun program;  ///< the same computation as ops of a program
};

struct KernelReport {
  std::string kernel;  ///< file, or "matmul m=256 n=256 k=256"
  sw::TargetMachine machine;
  bool functional = true;
  hw::bundle::matrix::MatrixUnitView matrix_view = hw::bundle::matrix::MatrixUnitView::event;
  hw::bundle::BundleRunResult result;
  std::optional<GeneratedKernel> generated;
  std::optional<validation::kernels::Verification> verification;
  /// True if its results were correct, compared with the reference or with what a program expects; empty if unchecked.
  std::optional<bool> verified;
  std::vector<std::string> warnings;
  double simulation_s = 0;  ///< host time of the simulation alone
  double wall_s = 0;        ///< host time of the whole command

  double time_s() const;
  /// Joules of what the core did, and those of its tiles; without what it always draws.
  double joules() const;
  double tile_joules() const;
  /// Mean watts of the core, with its share of what the chip always draws.
  double watts() const;
  /// Cycles in which LHS rows entered an MXU, as a share of the cycles of all MXUs.
  double mxu_utilization() const;
  /// Bytes moved over the bytes that HBM streams at its sustained rate in the same time.
  double hbm_utilization() const;
  /// Operations in the two vector ALU slots, as a share of their cycles.
  double valu_utilization() const;
};

/// A short summary.
std::string kernel_text(const KernelReport& report);
/// One JSON object with the keys of `podsim kernel --json`.
std::string kernel_json(const KernelReport& report);

}  // namespace podsim::report
