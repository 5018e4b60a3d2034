// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/window_cut.h"

#include <numeric>

#include "sw/spmd/by_position.h"

namespace podsim::sw {

namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t divisor) {
  return value >= 0 ? (value + divisor - 1) / divisor : -(-value / divisor);
}

/// The window over the elements from dilated position starts[i] - padding_low on that `outputs` results see; starts are
/// multiples of the base dilation.
WindowCut over(const WindowDimension& window, const std::vector<std::int64_t>& starts, std::int64_t outputs) {
  const std::int64_t base = window.base_dilation;
  const std::int64_t extent = (outputs - 1) * window.stride + (window.size - 1) * window.window_dilation + 1;
  const std::int64_t first = divide_up(-window.padding_low, base);
  const std::int64_t phase = first * base + window.padding_low;
  WindowCut cut;
  // A window that sees nothing but holes still has an element, behind its end.
  cut.input.size = extent > phase ? (extent - 1 - phase) / base + 1 : 1;
  for (const std::int64_t start : starts) cut.input.starts.push_back(start / base + first);
  cut.window = window;
  cut.window.padding_low = phase;
  cut.window.padding_high = extent - phase - ((cut.input.size - 1) * base + 1);
  cut.outputs = outputs;
  cut.trims.assign(starts.size(), 0);
  return cut;
}

}  // namespace

WindowCut cut_along_outputs(const WindowDimension& window, std::int64_t outputs, std::int64_t shards) {
  const std::int64_t shard = divide_up(outputs, shards);
  const std::int64_t aligned = window.base_dilation / std::gcd(window.stride, window.base_dilation);
  std::vector<std::int64_t> starts, trims;
  for (std::int64_t i = 0; i < shards; ++i) {
    trims.push_back(i * shard % aligned);
    starts.push_back((i * shard - trims.back()) * window.stride);
  }
  const std::int64_t more = shard % aligned == 0 || shards == 1 ? 0 : aligned - 1;
  WindowCut cut = over(window, starts, shard + more);
  cut.outputs = shard;
  cut.trims = std::move(trims);
  return cut;
}

std::optional<WindowCut> cut_along_window(const WindowDimension& window, std::int64_t outputs, std::int64_t shards) {
  WindowDimension part = window;
  part.size = divide_up(window.size, shards);
  const std::int64_t step = part.size * window.window_dilation;
  if (step % window.base_dilation != 0) return std::nullopt;
  // Read backwards, the first shard of the kernel meets the last elements.
  const std::int64_t first = window.window_reversal ? (window.size - part.size) * window.window_dilation : 0;
  part.padding_low -= first;
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < shards; ++i) starts.push_back(window.window_reversal ? -i * step : i * step);
  return over(part, starts, outputs);
}

InstructionId kept_outputs(LocalProgram& program, InstructionId result, int dimension, const SubAxes& sub_axes,
                           const WindowCut& cut) {
  return slice_by_position(program, result, dimension, sub_axes, cut.trims, cut.outputs);
}

}  // namespace podsim::sw
