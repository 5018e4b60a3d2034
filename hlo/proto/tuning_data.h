// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::hlo::proto {

/// A run of a kernel under one tile size. Bounds are the sizes of a block in physical order, major to minor, the last
/// two in tiles of 8 x 128; empty if the kernel has no such bounds.
struct TunedRun {
  std::vector<std::int64_t> kernel_bounds, output_bounds;
  double seconds = 0;
  bool is_default = false;  ///< XLA's own choice
};

struct TunedKernel {
  std::string text;  ///< the module as HLO text
  std::vector<TunedRun> runs;
};

/// The kernels of a TuningData message of TpuGraphs, without runs that failed. Throws base::InputError if the bytes are
/// damaged or have no kernel with runs.
std::vector<TunedKernel> tuning_data(const std::string& file, std::string_view bytes);

}  // namespace podsim::hlo::proto
