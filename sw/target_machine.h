// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/config.h"
#include "base/content_hash.h"
#include "hw/machine.h"
#include "sw/compiler_parameters.h"

namespace podsim::sw {

/// The target of the compiler: a machine, and the costs that the compiler assumes for the code that it generates.
struct TargetMachine : hw::Machine {
  CompilerParameters compiler;
  PassParameters passes;
  CollectiveCode collective_code;
  FrameworkHost framework;

  /// VMEM of a core that tiles of an op may take.
  base::Bytes vmem_for_tiles() const { return vmem - compiler.vmem_for_values; }
  /// Bytes of a core's HBM that arrays of a program may take before some of its ops run twice.
  base::Bytes memory_before_recomputing() const {
    return base::Bytes(std::int64_t(double(hbm.usable_per_core().value()) * passes.recompute_above));
  }
};

/// Reads the resolved configuration. InputError for a value out of its range, as hw::read_machine().
TargetMachine read_target(const base::Config& config);

/// Adds every value on which the cost of an op on a core depends: those of hw::timing::add_core(), and the costs of
/// generated code.
void add_core(base::ContentHash& hash, const TargetMachine& machine);

}  // namespace podsim::sw
