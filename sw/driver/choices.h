// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/transform/rematerialize.h"
#include "hlo/weights/weight_type.h"
#include "sw/compiler/costs/price_list.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/overlap.h"
#include "sw/driver/compiler_year.h"
#include "sw/placement/mesh_placement.h"
#include "sw/target_machine.h"

namespace podsim::sw::driver {

/// For what a program is compiled. Both outlive the compilation.
struct Target {
  const TargetMachine& machine;
  std::int64_t cores = 1;  ///< of the slice; the number of partitions if nothing else determines it
};

/// The part of a step that is compiled.
enum class Part : std::uint8_t {
  step,        ///< all of it
  evaluation,  ///< the forward part, up to the loss
  inference,   ///< the forward part, up to the predictions if they are known
};

/// How a program is partitioned.
struct PartitionChoices {
  std::optional<placement::MeshText> mesh;  ///< std::nullopt: that of the annotations, or all cores along one axis
  std::optional<hlo::spmd::mesh::ShardingFile> sharding;  ///< annotations; std::nullopt: those of the program
  bool of_one_core = false;  ///< the program is already that of one core, with its collectives
  bool windowed_einsum = false;
  /// Axes of the mesh over which weight updates are sharded, joined by commas; "on" for all, "off" for none.
  std::string update_axes = "off";
};

struct Choices {
  Part part = Part::step;
  std::optional<hlo::weights::WeightType> weights = std::nullopt;  ///< of inference; std::nullopt: as in the program
  std::optional<PartitionChoices> partition;  ///< std::nullopt: the program runs as it is on every core
  /// Forward values that are computed again in the backward part; std::nullopt: as little as fits into memory.
  std::optional<hlo::transform::Rematerialisation> rematerialise;
  compiler::Overlap overlap = compiler::Overlap::none;
  CompilerYear compiler;
  compiler::costs::PriceList prices;      ///< of custom calls
  compiler::OpCache* op_cache = nullptr;  ///< where tiles of ops are looked up; may be null
  /// The last pass to run (passes.h); empty: all.
  std::string_view last;
  /// Called behind each pass with its name and the module that it leaves.
  std::function<void(std::string_view pass, const hlo::Module& module)> after_pass;
};

}  // namespace podsim::sw::driver
