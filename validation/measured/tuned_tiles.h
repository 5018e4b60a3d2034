// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/compiler/op_costs.h"

namespace podsim::validation::measured {

/// A kernel under one tile size.
struct TiledRun {
  std::string bounds;  ///< "kernel 16x32, output 4x32"
  double measured_s = 0;
  std::optional<double> modelled_s;  ///< std::nullopt if the blocks do not fit VMEM
  bool is_default = false;           ///< XLA's own choice
};

/// A kernel of TpuGraphs' tile data under every tile size that was tried.
struct TiledKernel {
  std::string name;
  std::vector<TiledRun> runs;
  double chosen_s = 0;  ///< the model's time under the tiling that the compiler chooses

  /// Kendall's tau of modelled and measured times; std::nullopt below three modelled runs.
  std::optional<double> tau() const;
  /// XLA's choice, or nullptr.
  const TiledRun* by_default() const;
  /// The run that the model takes for the fastest, or nullptr.
  const TiledRun* by_model() const;
  double best_measured_s() const;
};

/// Models the kernels of a TuningData message on the core of `costs`. The blocks of a run become a tiling
/// (tile_blocks.h): output bounds divide rows and lanes, kernel bounds the contraction. Throws base::InputError for a
/// bad file.
std::vector<TiledKernel> tuned_tiles(const std::string& file, std::string_view bytes, sw::compiler::OpCosts& costs);

std::string tuned_tiles_text(const std::vector<TiledKernel>& kernels);
std::string tuned_tiles_json(const std::vector<TiledKernel>& kernels);
/// A line per run.
std::string tuned_tiles_csv(const std::vector<TiledKernel>& kernels);

}  // namespace podsim::validation::measured
