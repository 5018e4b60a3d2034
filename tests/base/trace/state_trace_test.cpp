// SPDX-License-Identifier: Apache-2.0
#include "base/trace/state_trace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/trace/vcd_writer.h"
#include "tests/base/vcd_reader.h"

namespace podsim::base::trace {
namespace {

using Changes = std::vector<std::pair<std::int64_t, std::string>>;

std::shared_ptr<StateTrace> trace_of(VcdWriter& writer, const std::string& unit) {
  const Probe<std::string> state(&writer, unit, "state");
  const Probe<bool> busy(&writer, unit, "busy");
  return StateTrace::make(&writer, state, busy, "idle");
}

TEST(StateTrace, DoesNotExistUnlessASignalIsRecorded) {
  std::ostringstream out;
  VcdWriter writer(out, {"here.busy"});
  EXPECT_NE(trace_of(writer, "here"), nullptr);
  EXPECT_EQ(trace_of(writer, "there"), nullptr);
}

TEST(StateTrace, ShowsWhatWasAnnouncedBetweenOtherChanges) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  Probe<bool> other(&writer, "other", "wire");
  const std::shared_ptr<StateTrace> unit = trace_of(writer, "unit");
  other.set(Time(10), true);
  unit->show({{Time(10), "load"}, {Time(20), "run"}, {Time(30), "skip"}, {Time(30), "drain"}}, Time(40));
  other.set(Time(25), false);
  unit->show({{Time(40), "load"}}, Time(50));
  other.set(Time(60), true);
  writer.finish(Time(70));
  const VcdContent content = read_vcd(out.str());
  EXPECT_EQ(
      content.signals.at("unit.state").changes,
      (Changes{{0, "s"}, {0, "sidle"}, {10, "sload"}, {20, "srun"}, {30, "sdrain"}, {40, "sload"}, {50, "sidle"}}));
  EXPECT_EQ(content.signals.at("unit.busy").changes, (Changes{{0, "x"}, {0, "0"}, {10, "1"}, {50, "0"}}));
}

TEST(StateTrace, EndsWithItsTrace) {
  std::ostringstream out;
  VcdWriter writer(out, {});
  std::shared_ptr<StateTrace> unit = trace_of(writer, "unit");
  unit->show({{Time(0), "load"}, {Time(20), "run"}}, Time(30));
  unit.reset();  // the modules are gone when a trace is finished
  writer.finish(Time(20));
  const VcdContent content = read_vcd(out.str());
  EXPECT_EQ(content.signals.at("unit.state").changes.back(), (Changes::value_type{20, "srun"}));
  EXPECT_EQ(content.end, 20);
}

/// A run of one unit: it waits, works through states and is idle again.
struct Run {
  std::int64_t unit, wait;
  std::vector<std::int64_t> lengths;
};

/// The oracle: all states of all units by their times, without any that lasts no time or repeats the one before.
Changes history(const std::vector<Run>& runs, std::int64_t unit) {
  std::vector<std::pair<std::int64_t, std::string>> states{{0, "idle"}};
  for (const Run& run : runs) {
    if (run.unit != unit) continue;
    std::int64_t at = states.back().first + run.wait;
    for (std::size_t i = 0; i < run.lengths.size(); at += run.lengths[i++])
      states.emplace_back(at, "s" + std::to_string(i));
    states.emplace_back(at, "idle");
  }
  Changes shown{{0, "s"}, {0, "sidle"}};
  for (std::size_t i = 1; i < states.size(); ++i) {
    if (i + 1 < states.size() && states[i + 1].first == states[i].first) continue;
    if ("s" + states[i].second != shown.back().second) shown.emplace_back(states[i].first, "s" + states[i].second);
  }
  return shown;
}

RC_GTEST_PROP(StateTrace, AnyUnitsAnnouncedAheadAreShownInOrderOfTime, ()) {
  constexpr std::int64_t units = 4;
  const auto runs = *rc::gen::container<std::vector<Run>>(
      rc::gen::build<Run>(rc::gen::set(&Run::unit, rc::gen::inRange<std::int64_t>(0, units)),
                          rc::gen::set(&Run::wait, rc::gen::inRange<std::int64_t>(0, 3)),
                          rc::gen::set(&Run::lengths, rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
                                                          rc::gen::inRange<std::int64_t>(0, 4))))));
  std::ostringstream out;
  VcdWriter writer(out, {});
  std::vector<std::shared_ptr<StateTrace>> traces;
  for (std::int64_t unit = 0; unit < units; ++unit) traces.push_back(trace_of(writer, "u" + std::to_string(unit)));
  Probe<std::int64_t> clock(&writer, "clock", "now");

  // Units announce their runs when they begin, in order of time.
  struct Begin {
    std::int64_t at;
    const Run* run;
  };
  std::vector<Begin> begins;
  std::vector<std::int64_t> free_at(units);
  for (const Run& run : runs) {
    std::int64_t& at = free_at[std::size_t(run.unit)];
    begins.push_back({at += run.wait, &run});
    for (const std::int64_t length : run.lengths) at += length;
  }
  std::ranges::stable_sort(begins, {}, &Begin::at);
  for (const Begin& begin : begins) {
    clock.set(Time(begin.at), begin.at);
    std::int64_t at = begin.at;
    const std::vector<std::int64_t>& lengths = begin.run->lengths;
    for (std::size_t i = 0; i < lengths.size(); at += lengths[i++]) {
      traces[std::size_t(begin.run->unit)]->show({{Time(at), "s" + std::to_string(i)}}, Time(at + lengths[i]));
    }
  }
  writer.finish(Time(*std::ranges::max_element(free_at)));
  const VcdContent content = read_vcd(out.str());
  for (std::int64_t unit = 0; unit < units; ++unit) {
    RC_ASSERT(content.signals.at("u" + std::to_string(unit) + ".state").changes == history(runs, unit));
  }
}

}  // namespace
}  // namespace podsim::base::trace
