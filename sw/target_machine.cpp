// SPDX-License-Identifier: Apache-2.0
#include "sw/target_machine.h"

#include "base/parameters/related_values.h"
#include "base/parameters/section.h"
#include "hw/timing/core_content.h"

namespace podsim::sw {

TargetMachine read_target(const base::Config& config) {
  TargetMachine machine{hw::read_machine(config), {}, {}, {}, {}};
  const base::parameters::Reading reading{config, machine.core_clock()};
  CompilerParameters::section().read(reading, machine.compiler);
  PassParameters::section().read(reading, machine.passes);
  CollectiveCode::section().read(reading, machine.collective_code);
  FrameworkHost::section().read(reading, machine.framework);
  if (machine.compiler.vmem_for_values < base::Bytes(0) || machine.compiler.vmem_for_values >= machine.vmem) {
    base::parameters::reject_together(config, {"compiler.vmem_for_values", "core.vmem"},
                                      "'compiler.vmem_for_values' must be less than 'core.vmem'");
  }
  return machine;
}

void add_core(base::ContentHash& hash, const TargetMachine& machine) {
  hw::timing::add_core(hash, machine);
  CompilerParameters::section().add_to(hash, machine.compiler);
}

}  // namespace podsim::sw
