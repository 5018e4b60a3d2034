// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/content_hash.h"
#include "hw/machine.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_search.h"

namespace podsim::sw::compiler {

/// Tilings and costs of ops on the core of one machine: searched for and simulated, or found in a cache. A key of the
/// cache contains everything that the result depends on: the op (its work, its tiles), the machine's values for cores
/// and HBM (hw/timing/core_content.h), and the program's build.
class OpCosts {
 public:
  /// `machine` and `cache` outlive this. Without a cache everything is computed.
  explicit OpCosts(const hw::Machine& machine, OpCache* cache = nullptr);

  /// Result of tiles::choose_tiling().
  tiles::Tiling tiling(const tiles::OpWork& work, const std::string& name);
  /// Result of TilePipeline::simulate().
  hw::OpResult simulate(const hw::TileOp& tiles);
  /// Result of TilePipeline::estimate().
  base::Cycles estimate(const hw::TileOp& tiles);

 private:
  base::ContentKey key_of(std::string_view what, const hw::TileOp& tiles) const;
  hw::timing::TilePipeline& pipeline();

  const hw::Machine& machine_;
  OpCache* cache_;
  base::ContentKey core_;  ///< content of the core and the program's build; set if there is a cache
  std::optional<hw::timing::TilePipeline> pipeline_;  ///< made when there is something to compute
};

}  // namespace podsim::sw::compiler
