// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/units.h"
#include "hw/machine.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/ir/graph.h"

namespace podsim::sw::compiler {

/// Times of fused modules on one core, for many modules that share ops: every distinct op is tiled and simulated once.
class ModuleTimes {
 public:
  explicit ModuleTimes(const hw::Machine& machine) : machine_(machine), pipeline_(machine_) {}

  /// The ops of the entry computation one after another. Control flow, collectives and transfers of the host take no
  /// time here.
  base::Time time_of(const ir::Module& fused);
  /// An op of a computation.
  base::Cycles cycles_of(const ir::Module& module, const ir::Computation& computation, ir::InstructionId id);

 private:
  hw::Machine machine_;
  hw::timing::TilePipeline pipeline_;
  std::map<tiles::OpWork, base::Cycles> known_;
};

}  // namespace podsim::sw::compiler
