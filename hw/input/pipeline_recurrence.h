// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "hw/input/service_times.h"
#include "hw/input/stage.h"

namespace podsim::hw::input {

/// The input pipeline of one host as a recurrence over its batches, without events; InputPipeline gives the same times.
///
/// Batch n starts at stage i when it has left stage i - 1 and batch n - 1 has left stage i. It leaves when it is done
/// and there is a free slot in front of the next stage, which batch n - depth frees when it starts there:
///
///   start_i(n) = max(leave_{i-1}(n), leave_i(n-1))
///   leave_i(n) = max(start_i(n) + time_i(n), start_{i+1}(n - depth_{i+1}))
///
/// The slots behind the last stage are freed by take().
class PipelineRecurrence {
 public:
  /// `prepared` is the number of batches that wait behind the last stage.
  PipelineRecurrence(const std::vector<Stage>& stages, std::int64_t prepared, std::uint64_t seed, std::int64_t host);

  /// When the next batch leaves the last stage. Batch n - `prepared` must have been taken.
  base::Time prepare();
  /// Batches are taken in order, each at this time or when it is prepared, whichever is later.
  void take(base::Time when);
  /// When a stage began with the batch that was prepared last, and when it was done with it.
  base::Time began(std::size_t stage) const { return servers_[stage].began; }
  base::Time done(std::size_t stage) const { return servers_[stage].done; }
  std::int64_t batches() const { return batches_; }
  /// Time that a stage has worked so far.
  base::Time busy(std::size_t stage) const { return servers_[stage].busy; }

 private:
  struct Server {
    ServiceTimes times;
    base::Time began, done, left;  ///< of the last batch
    base::Time busy;
    std::vector<base::Time> started;  ///< of the last batches, as many as wait in front, by number modulo that
  };

  std::vector<Server> servers_;
  std::vector<base::Time> taken_;  ///< by number modulo `prepared`
  std::int64_t batches_ = 0, takes_ = 0;
};

}  // namespace podsim::hw::input
