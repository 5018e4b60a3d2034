// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "hw/op_result.h"
#include "noc/chip_speed.h"
#include "noc/faults.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/program.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime {

/// What each distinct op of a program takes on a core by itself, simulated when it is first asked for: in cycles of the
/// clock of its chip (hw/timing/chip_cycles.h). So chips whose HBM is as slow as their clock have those of healthy
/// ones.
class OpRecords {
 public:
  /// The arguments outlive this; `cache` may be null. The slice is not folded if there are faults.
  OpRecords(const compiler::Program& program, const TargetMachine& machine, compiler::OpCache* cache,
            noc::Faults faults = {});

  /// `op` is an index into Program::ops. On a healthy chip.
  const hw::OpResult& of(int op);
  /// On a chip. No op ends earlier there than on a healthy one.
  const hw::OpResult& of(int op, noc::NodeId chip);
  noc::ChipSpeed speed(noc::NodeId chip) const { return faults_.chip_speed(chip); }

 private:
  using Known = std::vector<std::optional<hw::OpResult>>;
  /// Ops of chips whose HBM and clock have a speed each.
  struct Slow {
    Slow(const TargetMachine& healthy, const noc::ChipSpeed& speed, compiler::OpCache* cache, std::size_t ops);

    TargetMachine machine;
    compiler::OpCosts costs;
    Known known;
  };

  const compiler::Program& program_;
  const TargetMachine& machine_;
  compiler::OpCache* cache_;
  noc::Faults faults_;
  compiler::OpCosts costs_;
  Known known_;
  std::map<std::pair<double, double>, std::unique_ptr<Slow>> slow_;  ///< by clock and hbm
};

}  // namespace podsim::sw::runtime
