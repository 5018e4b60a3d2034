// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>

#include "base/progress.h"

namespace podsim::studies::sweep {

/// Progress of a sweep on stderr: on a terminal one line that is overwritten, else a line per minute.
class SweepProgress {
 public:
  using Clock = base::Progress::Clock;

  explicit SweepProgress(std::size_t points);
  /// For tests: any stream and any clock.
  SweepProgress(std::size_t points, std::ostream& out, bool terminal, std::function<Clock::time_point()> now);

  void update(std::size_t done, std::size_t failed);

 private:
  std::size_t points_;
  std::ostream& out_;
  bool terminal_;
  std::function<Clock::time_point()> now_;
  Clock::time_point next_;
  base::Progress bar_;
};

}  // namespace podsim::studies::sweep
