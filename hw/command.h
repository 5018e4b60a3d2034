// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "base/units.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"

/// What a core executes, one command after the other. Commands refer to the program, which all cores share.
namespace podsim::hw {

/// The op tile by tile.
struct RunOp {
  const TileOp* op = nullptr;
  std::string_view label = {};  ///< shown in traces, else the op's name: equal ops of a program share a TileOp
};

/// The op at replay detail: it ends as many cycles after its start as it took when it was recorded.
struct RunFor {
  const TileOp* op = nullptr;
  OpResult recorded;
  std::string_view label = {};
};

/// Nothing, for so long.
struct Delay {
  base::Cycles cycles;
};

/// Waits for the next batch from the host and copies it to where the program reads it.
struct Infeed {
  base::Bytes bytes;
  std::int64_t tensors = 1;
};

/// Copies data to the outfeed queue, from where the host takes them.
struct Outfeed {
  base::Bytes bytes;
  std::int64_t tensors = 1;
};

/// Something outside the core, named by a token: the core waits until it is told that it is over.
struct External {
  std::uint64_t token = 0;
  std::string_view label;  ///< shown in traces; lives as long as the program
};

using Command = std::variant<RunOp, RunFor, Delay, Infeed, Outfeed, External>;

/// A command that was executed, in cycles of the core's clock since time zero.
struct CommandRecord {
  const Command& command;
  base::Cycles start, end;
  OpResult op;           ///< RunOp and RunFor
  base::Cycles waiting;  ///< Infeed: for a batch; Outfeed: for a place in the queue
};

}  // namespace podsim::hw
