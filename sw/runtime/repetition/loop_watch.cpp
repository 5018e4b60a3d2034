// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repetition/loop_watch.h"

#include <algorithm>
#include <cstdlib>

namespace podsim::sw::runtime::repetition {
namespace {

constexpr std::int64_t few_cycles = 4;
constexpr std::int64_t drift_divisor = 2000;  // allowed drift of a period: 1 / drift_divisor

std::int64_t allowed_drift(base::Cycles period) { return std::max(few_cycles, period.value() / drift_divisor); }

}  // namespace

std::int64_t LoopWatch::begin_trip(std::size_t core, std::int64_t trip, base::Cycles now) {
  if (skipped_from_ >= 0 && trip > skipped_from_) return 0;
  if (trip > decided_) {
    decided_ = trip;
    const SteadyState* state = trip < trips_ - 1 ? known_state(trip) : nullptr;
    if (state != nullptr) {
      skipped_from_ = trip;
      period_ = state->period;
    } else if (trip < trips_ - 1 && trip > 2 && repeats(trip)) {
      skipped_from_ = trip;
      period_ = before(trip - 1).begin[0] - before(trip - 2).begin[0];
      keep_state(trip);
    }
  }
  Trip& at = recent_[std::size_t(trip) % recent_.size()];
  if (at.number != trip) at = {trip, std::vector<base::Cycles>(cores_), 0};
  at.begin[core] = now;
  ++at.begun;
  return trip == skipped_from_ ? trips_ - 1 - trip : 0;
}

/// The known state in which all cores began the trip before; null if there is none.
const LoopWatch::SteadyState* LoopWatch::known_state(std::int64_t trip) const {
  const Trip& last = before(trip - 1);
  if (known_ == nullptr || last.number != trip - 1 || last.begun != cores_) return nullptr;
  const auto found = std::ranges::find_if(*known_, [&](const SteadyState& state) {
    for (std::size_t core = 0; core < cores_; ++core) {
      const std::int64_t drift = (last.begin[core] - last.begin[0] - state.delays[core]).value();
      if (std::abs(drift) > allowed_drift(state.period)) return false;
    }
    return true;
  });
  return found == known_->end() ? nullptr : &*found;
}

void LoopWatch::keep_state(std::int64_t trip) {
  if (known_ == nullptr) return;
  const Trip& last = before(trip - 1);
  SteadyState& state = known_->emplace_back(SteadyState{last.begin, period_});
  for (base::Cycles& begin : state.delays) begin -= last.begin[0];
}

/// Returns whether the two trips before took the same time on every core.
bool LoopWatch::repeats(std::int64_t trip) const {
  const Trip &last = before(trip - 1), &second = before(trip - 2), &third = before(trip - 3);
  for (const Trip* past : {&last, &second, &third}) {
    if (past->begun != cores_) return false;
  }
  if (last.number != trip - 1 || second.number != trip - 2 || third.number != trip - 3) return false;
  const std::int64_t period = (last.begin[0] - second.begin[0]).value();
  const std::int64_t drift = allowed_drift(base::Cycles(period));
  for (std::size_t core = 0; core < cores_; ++core) {
    const std::int64_t newer = (last.begin[core] - second.begin[core]).value();
    const std::int64_t older = (second.begin[core] - third.begin[core]).value();
    if (std::abs(newer - period) > drift || std::abs(older - period) > drift) return false;
  }
  return true;
}

}  // namespace podsim::sw::runtime::repetition
