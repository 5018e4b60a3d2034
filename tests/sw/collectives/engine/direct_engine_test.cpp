// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/direct_engine.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/systemc/fresh_context.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "tests/sw/collectives/engine/any_collective.h"
#include "tests/sw/collectives/engine/no_signals.h"

namespace podsim::sw::collectives::engine {
namespace {

bool same(const LinkUse& a, const LinkUse& b) { return a.link == b.link && a.bytes == b.bytes && a.busy == b.busy; }

bool same_phase(const CollectivePhase& a, const CollectivePhase& b) {
  return a.name == b.name && a.order == b.order && a.payload == b.payload && a.begin == b.begin && a.end == b.end;
}

RC_GTEST_PROP(DirectEngine, EndsWhenTheModulesOfEngineAndFabricDo, ()) {
  const testing::Case sample = testing::any_case();
  const bool together = *rc::gen::arbitrary<bool>(), fold = *rc::gen::arbitrary<bool>();
  CollectiveOptions options{.fold = fold};
  if (!together) options.starts = sample.starts;
  const CollectiveOutcome direct = simulate_collective(sample.machine, sample.schedule, options);
  testing::NoSignals sink;
  options.sink = &sink;
  base::systemc::fresh_context();
  const CollectiveOutcome modules = simulate_collective(sample.machine, sample.schedule, options);
  RC_ASSERT(direct.finish == modules.finish);
  RC_ASSERT(direct.duration == modules.duration);
  RC_ASSERT(direct.messages == modules.messages);
  RC_ASSERT(std::ranges::equal(direct.links, modules.links, same));
  RC_ASSERT(std::ranges::equal(direct.phases, modules.phases, same_phase));
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
