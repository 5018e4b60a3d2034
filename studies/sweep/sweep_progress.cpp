// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <utility>

namespace podsim::studies::sweep {
namespace {

constexpr std::chrono::minutes interval{1};

}  // namespace

SweepProgress::SweepProgress(std::size_t points)
    : SweepProgress(points, std::cerr, isatty(STDERR_FILENO) == 1, Clock::now) {}

SweepProgress::SweepProgress(std::size_t points, std::ostream& out, bool terminal,
                             std::function<Clock::time_point()> now)
    : points_(points),
      out_(out),
      terminal_(terminal),
      now_(std::move(now)),
      next_(now_() + interval),
      bar_("sweep", out, terminal, now_) {}

void SweepProgress::update(std::size_t done, std::size_t failed) {
  const std::size_t ended = done + failed;
  const std::string failures = failed == 0 ? "" : fmt::format(", {} failed", failed);
  const std::string note = fmt::format("{} of {} points{}", ended, points_, failures);
  bar_.update(points_ == 0 ? 1 : double(ended) / double(points_), note);
  if (terminal_ || now_() < next_) return;
  next_ = now_() + interval;
  out_ << note << std::endl;
}

}  // namespace podsim::studies::sweep
