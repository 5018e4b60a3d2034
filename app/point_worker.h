// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/compiled_step.h"
#include "app/point_output.h"
#include "app/point_task.h"
#include "app/run.h"
#include "app/run_options.h"
#include "sw/compiler/op_cache.h"

namespace podsim::app {

/// Runs points one after the other, each in a child process of its own: whatever a point does, the worker lives on. The
/// process that owns a worker has one thread and has not started SystemC.
///
/// Where a point follows one with the same step_key(), such as one that differs in [ici] alone, the worker compiles its
/// step itself and keeps it: for that point and for all of this key that come next, the child only simulates. The cache
/// of --op-cache is held open, so that children find in memory what others have saved.
class PointWorker {
 public:
  /// Runs `podsim ARGUMENTS --json` to its end or that of its time. A cache that cannot be opened here is done without.
  PointOutput run(const PointTask& task);

 private:
  PointOutput run_step(const RunOptions& options, const std::vector<std::string>& words, std::int64_t limit_s);
  void open_cache(const std::string& file);
  void look_at(const RunOptions& options, const base::Config& machine);

  std::string key_;                   ///< of the last point; empty: of none
  bool compile_alone_ = false;        ///< steps of this key are not shareable, or cannot be compiled, or took too long
  std::optional<CompiledStep> step_;  ///< of this key
  std::string cache_file_;            ///< that was tried last
  std::optional<sw::OpCache> cache_;
};

}  // namespace podsim::app
