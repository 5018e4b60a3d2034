// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"
#include "hlo/spmd/reshard/halo.h"

/// A window that moves along a split dimension, as one partition sees it.
namespace podsim::hlo::spmd::reshard {

/// Every partition takes `input` from the whole array, moves `window` over it, and keeps `outputs` elements of the
/// result from trims[i].
///
/// If the step from shard to shard is not a multiple of the base dilation b, shards would begin at different phases of
/// the dilation. Instead, all begin at a multiple of b / gcd(stride, b) outputs, compute up to that many more, and drop
/// them, as GSPMD does (Xu et al. 2021, appendix).
struct LocalWindow {
  ShardWindow input;
  hlo::WindowDimension window;
  std::int64_t outputs = 0;
  std::vector<std::int64_t> trims;  ///< first kept output of each shard
};

/// For a split result of `outputs` elements in all: y[o] = sum_k x[(o s + k d - p) / b], with stride s, window dilation
/// d, low padding p and base dilation b.
LocalWindow split_outputs(const hlo::WindowDimension& window, std::int64_t outputs, std::int64_t shards);

/// For a split kernel, in shards of ceil(window.size / shards) elements; every partition has addends for all `outputs`.
/// nullopt if shards would begin at different phases of the base dilation.
std::optional<LocalWindow> split_kernel(const hlo::WindowDimension& window, std::int64_t outputs, std::int64_t shards);

/// Slices the kept part out of the result of a partition's window along `dimension`.
hlo::InstructionId kept_outputs(LocalProgram& program, hlo::InstructionId result, int dimension,
                                const mesh::SubAxes& sub_axes, const LocalWindow& local);

}  // namespace podsim::hlo::spmd::reshard
