// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hw/op_result.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/program.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime {

/// What each distinct op of a program takes on a core by itself, simulated when it is first asked for.
class OpRecords {
 public:
  /// The arguments outlive this; `cache` may be null.
  OpRecords(const compiler::Program& program, const TargetMachine& machine, compiler::OpCache* cache)
      : program_(program), costs_(machine, cache), known_(program.ops.size()) {}

  /// `op` is an index into Program::ops.
  const hw::OpResult& of(int op) {
    std::optional<hw::OpResult>& known = known_[std::size_t(op)];
    if (!known) known = costs_.simulate(program_.ops[std::size_t(op)].tiles);
    return *known;
  }

 private:
  const compiler::Program& program_;
  compiler::OpCosts costs_;
  std::vector<std::optional<hw::OpResult>> known_;
};

}  // namespace podsim::sw::runtime
