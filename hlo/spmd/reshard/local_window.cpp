// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/local_window.h"

#include <numeric>

#include "hlo/spmd/reshard/by_position.h"

namespace podsim::hlo::spmd::reshard {

namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t divisor) {
  return value >= 0 ? (value + divisor - 1) / divisor : -(-value / divisor);
}

/// The window over the elements that `outputs` results read from dilated position starts[i] - padding_low. Starts are
/// multiples of the base dilation.
LocalWindow over(const hlo::WindowDimension& window, const std::vector<std::int64_t>& starts, std::int64_t outputs) {
  const std::int64_t base = window.base_dilation;
  const std::int64_t extent = (outputs - 1) * window.stride + (window.size - 1) * window.window_dilation + 1;
  const std::int64_t first = divide_up(-window.padding_low, base);
  const std::int64_t phase = first * base + window.padding_low;
  LocalWindow local;
  // A window that covers only holes still gets an element, after its end.
  local.input.size = extent > phase ? (extent - 1 - phase) / base + 1 : 1;
  for (const std::int64_t start : starts) local.input.starts.push_back(start / base + first);
  local.window = window;
  local.window.padding_low = phase;
  local.window.padding_high = extent - phase - ((local.input.size - 1) * base + 1);
  local.outputs = outputs;
  local.trims.assign(starts.size(), 0);
  return local;
}

}  // namespace

LocalWindow split_outputs(const hlo::WindowDimension& window, std::int64_t outputs, std::int64_t shards) {
  const std::int64_t shard = divide_up(outputs, shards);
  const std::int64_t aligned = window.base_dilation / std::gcd(window.stride, window.base_dilation);
  std::vector<std::int64_t> starts, trims;
  for (std::int64_t i = 0; i < shards; ++i) {
    trims.push_back(i * shard % aligned);
    starts.push_back((i * shard - trims.back()) * window.stride);
  }
  const std::int64_t more = shard % aligned == 0 || shards == 1 ? 0 : aligned - 1;
  LocalWindow local = over(window, starts, shard + more);
  local.outputs = shard;
  local.trims = std::move(trims);
  return local;
}

std::optional<LocalWindow> split_kernel(const hlo::WindowDimension& window, std::int64_t outputs, std::int64_t shards) {
  hlo::WindowDimension part = window;
  part.size = divide_up(window.size, shards);
  const std::int64_t step = part.size * window.window_dilation;
  if (step % window.base_dilation != 0) return std::nullopt;
  // In a reversed window, the first shard of the kernel is applied to the last elements.
  const std::int64_t first = window.window_reversal ? (window.size - part.size) * window.window_dilation : 0;
  part.padding_low -= first;
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < shards; ++i) starts.push_back(window.window_reversal ? -i * step : i * step);
  return over(part, starts, outputs);
}

hlo::InstructionId kept_outputs(LocalProgram& program, hlo::InstructionId result, int dimension,
                                const mesh::SubAxes& sub_axes, const LocalWindow& local) {
  return slice_by_position(program, result, dimension, sub_axes, local.trims, local.outputs);
}

}  // namespace podsim::hlo::spmd::reshard
