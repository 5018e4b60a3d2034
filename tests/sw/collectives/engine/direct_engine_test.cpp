// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/direct_engine.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/systemc/fresh_context.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "tests/sw/collectives/engine/any_collective.h"

namespace podsim::sw::collectives::engine {
namespace {

/// Records nothing. With a sink a collective is executed by the modules, whose signals it could show.
class NoSignals : public base::trace::ProbeSink {
 public:
  bool wants(std::string_view) const override { return false; }
  int declare(std::string_view, std::string_view, base::trace::SignalKind, int) override { return 0; }
  void change(int, base::Time, std::int64_t) override {}
  void change(int, base::Time, double) override {}
  void change(int, base::Time, std::string_view) override {}
  void expect(base::Time, base::trace::Forecast&) override {}
  void keep(std::shared_ptr<base::trace::Forecast>) override {}
};

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
  NoSignals sink;
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
