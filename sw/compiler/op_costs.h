// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/content_hash.h"
#include "hlo/graph.h"
#include "hw/op_result.h"
#include "hw/tile_op.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_search.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler {

/// Tilings and costs of ops on the core of one machine: searched for and simulated once for every distinct op, or found
/// in a cache. A key of the cache contains everything that the result depends on: the op (its work, its tiles), the
/// machine's values for cores and HBM (hw/timing/core_content.h), and the program's build.
class OpCosts {
 public:
  /// `machine` and `cache` outlive this.
  explicit OpCosts(const TargetMachine& machine, OpCache* cache = nullptr);
  OpCosts(const OpCosts&) = delete;
  OpCosts& operator=(const OpCosts&) = delete;

  const TargetMachine& machine() const { return machine_; }
  /// Result of tiles::choose_tiling(). `name` is for its error, as below.
  tiles::Tiling tiling(const tiles::OpWork& work, const std::string& name);
  /// The op with that work under a tiling (tiles::make_tiles()). Its transfers take turns if it is faster so and
  /// compiler.transfers_in_turns allows it.
  hw::TileOp tiles(const tiles::OpWork& work, const tiles::Tiling& tiling, const std::string& name);
  /// Cycles of the op with that work under its tiling.
  base::Cycles cycles(const tiles::OpWork& work, const std::string& name);
  /// The same for an op of a computation (tiles::op_work()).
  base::Cycles cycles(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id);
  /// Result of TilePipeline::simulate().
  hw::OpResult simulate(const hw::TileOp& tiles);
  /// Result of TilePipeline::estimate().
  base::Cycles estimate(const hw::TileOp& tiles);

 private:
  struct Cost {
    tiles::Tiling tiling;
    std::optional<base::Cycles> cycles;  ///< if they were asked for
  };

  Cost& cost(const tiles::OpWork& work, const std::string& name);
  tiles::Tiling find_tiling(const tiles::OpWork& work, const std::string& name);
  base::ContentKey key_of(std::string_view what, const hw::TileOp& tiles) const;
  hw::timing::TilePipeline& pipeline();

  const TargetMachine& machine_;
  OpCache* cache_;
  base::ContentKey core_;  ///< content of the core and the program's build; set if there is a cache
  std::map<tiles::OpWork, Cost> known_;
  std::optional<hw::timing::TilePipeline> pipeline_;  ///< made when there is something to compute
};

}  // namespace podsim::sw::compiler
