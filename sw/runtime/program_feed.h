// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/units.h"
#include "hw/command.h"
#include "sw/compiler/program.h"
#include "sw/runtime/chip_parts.h"
#include "sw/runtime/op_records.h"
#include "sw/runtime/pod/fold.h"
#include "sw/runtime/simulated_core.h"
#include "sw/runtime/waits/background_ops.h"
#include "sw/runtime/waits/running_collectives.h"
#include "sw/runtime/waits/waits.h"

namespace podsim::sw::runtime {

/// Sizes of the infeeds of a step of a core of the slice, in order.
std::vector<base::Bytes> batch_of(const compiler::Program& program, std::int32_t core);

/// The commands of a program: from a core's position to what its hardware executes next.
///
///   op            its tiles on a chip that has units, else the duration that was recorded; at detail chip its tiles
///                 while an asynchronous item runs, and in the last step if it is chosen and not known
///   collective    a wait for the engine; by formula a delay, where one chip stands for all behind those in flight
///   start, done   no time; a wait if the asynchronous item is still in flight
///   infeed, outfeed
class ProgramFeed {
 public:
  /// What the items are executed by.
  struct Executors {
    OpRecords& records;
    ChipParts* parts;               ///< only at detail chip
    const std::vector<bool>& real;  ///< by simulated chip: whether it has units
    const pod::Fold& fold;          ///< collectives that are not simulated
    waits::Waits& waits;
    waits::RunningCollectives& collectives;
    waits::BackgroundOps& background;
  };

  /// All arguments outlive this.
  ProgramFeed(const compiler::Program& program, std::int64_t cores_per_chip, int steps, const Executors& executors)
      : program_(program), cores_per_chip_(cores_per_chip), steps_(steps), by_(executors) {}

  /// The command for the item at which a core is. Starts an asynchronous item.
  hw::Command command_for(const SimulatedCore& core);
  /// A core has reached an External command for the item at which it is.
  void reached(const SimulatedCore& core, const hw::External& command);
  /// A core has executed the op at which it is.
  void executed(const SimulatedCore& core, const hw::OpResult& op);

 private:
  hw::Command command_for_op(const SimulatedCore& core, const compiler::ProgramItem& item);
  hw::Command command_for_collective(const SimulatedCore& core, const compiler::ProgramItem& item);
  hw::Command command_for_end(const SimulatedCore& core, const compiler::ProgramItem& item);
  void start_collective(const SimulatedCore& core, std::uint64_t execution, int collective);
  const compiler::ProgramItem& item_of(const SimulatedCore& core) const;
  bool on_real_chip(const SimulatedCore& core) const;
  bool through_parts(const SimulatedCore& core) const;
  noc::NodeId chip_of(const SimulatedCore& core) const {
    return noc::NodeId(std::int64_t(core.index) / cores_per_chip_);
  }
  int index_on_chip(const SimulatedCore& core) const { return int(std::int64_t(core.index) % cores_per_chip_); }

  const compiler::Program& program_;
  std::int64_t cores_per_chip_;
  int steps_;
  Executors by_;
  std::set<std::size_t> concurrent_;  ///< cores whose op began while an asynchronous item of theirs went on
};

}  // namespace podsim::sw::runtime
