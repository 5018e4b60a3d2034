// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "base/units.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"

/// Commands that a core executes one after the other. They refer to the program, which all cores share.
namespace podsim::hw {

/// Runs an op tile by tile.
struct RunOp {
  const TileOp* op = nullptr;
  std::string_view label = {};  ///< name in traces instead of the op's, since equal ops of a program share a TileOp
};

/// Runs an op at replay detail: it takes as many cycles as it took when it was recorded.
struct RunFor {
  const TileOp* op = nullptr;
  OpResult recorded;
  std::string_view label = {};
};

/// Waits for a number of cycles.
struct Delay {
  base::Cycles cycles;
};

/// Waits for the next batch from the host and copies it to where the program reads it.
struct Infeed {
  base::Bytes bytes;
  std::int64_t tensors = 1;
};

/// Copies data to the outfeed queue, from which the host takes them.
struct Outfeed {
  base::Bytes bytes;
  std::int64_t tensors = 1;
};

/// Waits for something outside the core, named by an id, until Core::complete_external().
struct External {
  std::uint64_t id = 0;
  std::string_view label;  ///< name in traces; exists as long as the program
};

using Command = std::variant<RunOp, RunFor, Delay, Infeed, Outfeed, External>;

/// A command that was executed. Cycles are those of the core's clock since time zero.
struct CommandRecord {
  const Command& command;
  base::Cycles start, end;
  OpResult op;           ///< for RunOp and RunFor
  base::Cycles waiting;  ///< for Infeed: for a batch; for Outfeed: for a free slot in the queue
};

}  // namespace podsim::hw
