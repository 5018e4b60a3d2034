// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/graph/graph.h"
#include "sw/spmd/halo.h"

/// A window that moves along a cut dimension, as one partition sees it.
namespace podsim::sw {

/// Every partition takes `input` out of the whole array, lets `window` move over it, and keeps `outputs` elements of
/// the result from trims[i] on.
///
/// With a base dilation b that the step from shard to shard does not divide by, shards would begin at different phases
/// of the dilation. All begin at a multiple of b / gcd(stride, b) outputs instead, compute up to that many more, and
/// drop them: as GSPMD does (Xu et al. 2021, appendix).
struct WindowCut {
  ShardWindow input;
  WindowDimension window;
  std::int64_t outputs = 0;
  std::vector<std::int64_t> trims;  ///< of each shard
};

/// The result, of `outputs` elements in all, is cut: y[o] = sum_k x[(o s + k d - p) / b].
WindowCut cut_along_outputs(const WindowDimension& window, std::int64_t outputs, std::int64_t shards);

/// The kernel is cut, into parts of the window's size rounded up; every partition has a partial sum of all `outputs`.
/// Nothing where shards begin at different phases of the base dilation.
std::optional<WindowCut> cut_along_window(const WindowDimension& window, std::int64_t outputs, std::int64_t shards);

/// What every partition keeps of the result of its window along a dimension.
InstructionId kept_outputs(LocalProgram& program, InstructionId result, int dimension, const SubAxes& sub_axes,
                           const WindowCut& cut);

}  // namespace podsim::sw
