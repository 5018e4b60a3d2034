// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/content_hash.h"
#include "hw/machine.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"
#include "hw/tile_pipeline.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/op_work.h"
#include "sw/compiler/tile_search.h"

namespace podsim::sw {

/// How ops are cut for one machine's core and what they cost on it: searched for and simulated, or looked up in a cache
/// where someone has done that before. A key of the cache is made of the op (its work, its tiles), of what the machine
/// says of cores and HBM (hw/core_content.h) and of the program's build: whatever the answer depends on.
class OpCosts {
 public:
  /// `machine` and `cache` outlive this; without a cache everything is computed.
  explicit OpCosts(const hw::Machine& machine, OpCache* cache = nullptr);

  /// choose_cuts().
  TileCuts cuts(const OpWork& work, const std::string& name);
  /// TilePipeline::simulate().
  hw::OpResult simulate(const hw::TileOp& tiles);
  /// TilePipeline::estimate().
  base::Cycles estimate(const hw::TileOp& tiles);

 private:
  base::ContentKey key_of(std::string_view what, const hw::TileOp& tiles) const;
  hw::TilePipeline& pipeline();

  const hw::Machine& machine_;
  OpCache* cache_;
  base::ContentKey core_;                     ///< with the program's build; where there is a cache
  std::optional<hw::TilePipeline> pipeline_;  ///< once there is something to compute
};

}  // namespace podsim::sw
