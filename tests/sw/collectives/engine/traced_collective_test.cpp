// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

#include "sw/collectives/engine/collective_simulation.h"
#include "tests/sw/collectives/engine/any_collective.h"
#include "tests/sw/collectives/engine/no_signals.h"

namespace podsim::sw::collectives::engine {
namespace {

bool same(const LinkUse& a, const LinkUse& b) { return a.link == b.link && a.bytes == b.bytes && a.busy == b.busy; }

bool same_phase(const CollectivePhase& a, const CollectivePhase& b) {
  return a.name == b.name && a.order == b.order && a.payload == b.payload && a.begin == b.begin && a.end == b.end;
}

/// Nothing, or something that is slow or late.
noc::Faults any_faults(const noc::Topology& slice) {
  const std::vector<const char*> texts = {"slow-chip:{}:0.5", "slow-link:{}x+:0.25", "jitter:5us", "bit-errors:1e-5"};
  const int what = *rc::gen::inRange(-2, int(texts.size()));
  if (what < 0 || (what == 1 && !slice.neighbour(0, 0, +1))) return {};
  const std::array fault{noc::parse_fault(fmt::format(fmt::runtime(texts[std::size_t(what)]), slice.name(0)))};
  return noc::Faults(slice, fault);
}

/// Signals to show have a collective executed by modules, event by event, which changes no time.
RC_GTEST_PROP(TracedCollective, TakesTheTimeOfOneWithoutSignals, ()) {
  const testing::Case sample = testing::any_case();
  const bool together = *rc::gen::arbitrary<bool>(), fold = *rc::gen::arbitrary<bool>();
  CollectiveOptions options{.fold = fold};
  if (!together) options.starts = sample.starts;
  options.faults = any_faults(sample.schedule->slice());
  const CollectiveOutcome plain = simulate_collective(sample.machine, sample.schedule, options);
  testing::NoSignals sink;
  options.sink = &sink;
  const CollectiveOutcome traced = simulate_collective(sample.machine, sample.schedule, options);
  RC_ASSERT(plain.finish == traced.finish);
  RC_ASSERT(plain.duration == traced.duration);
  RC_ASSERT(plain.messages == traced.messages);
  RC_ASSERT(std::ranges::equal(plain.links, traced.links, same));
  RC_ASSERT(std::ranges::equal(plain.phases, traced.phases, same_phase));
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
