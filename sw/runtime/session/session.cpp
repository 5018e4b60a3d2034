// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/session/session.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/systemc/sliced_run.h"
#include "base/systemc/systemc_time.h"
#include "sw/runtime/session/simulation.h"

namespace podsim::sw::runtime::session {
namespace {

constexpr std::int64_t longest_period_ps = 1'000'000;

/// The time between edges of a clock that are whole picoseconds; std::nullopt if it is more than a microsecond.
std::optional<base::Time> common_period(base::Frequency clock) {
  constexpr std::int64_t picoseconds_per_kilosecond = 1'000'000'000'000'000;
  const std::int64_t millihertz = std::llround(clock.si() * 1e3);
  const std::int64_t period = picoseconds_per_kilosecond / std::gcd(picoseconds_per_kilosecond, millihertz);
  return period <= longest_period_ps ? std::optional(base::Time(period)) : std::nullopt;
}

}  // namespace

Session::Session(const TargetMachine& machine, const noc::Topology& slice, SimulationOptions options)
    : machine_(machine), slice_(slice), options_(std::move(options)) {}

int Session::add(std::function<compiler::Program()> compile) {
  programs_.push_back({.compile = std::move(compile)});
  return int(programs_.size()) - 1;
}

int Session::add(const compiler::Program& program) {
  programs_.push_back({.compile = {}, .program = &program});
  return int(programs_.size()) - 1;
}

LoadedProgram& Session::loaded(int program) {
  Added& added = programs_.at(std::size_t(program));
  if (added.program == nullptr) added.program = &added.own.emplace(added.compile());
  if (!added.loaded) added.loaded = std::make_unique<LoadedProgram>(*added.program, machine_, slice_, options_);
  return *added.loaded;
}

SimulatedSlice& Session::slice_for(const noc::FoldedTopology& topology) {
  for (const auto& slice : slices_) {
    if (slice->topology().representatives() == topology.representatives()) return *slice;
  }
  SimulationOptions options = options_;
  if (!slices_.empty()) options.sink = nullptr;
  return *slices_.emplace_back(std::make_unique<SimulatedSlice>(topology, machine_, options));
}

base::Time Session::first_begin(base::Time earliest) const {
  if (const std::optional<base::Time> period = common_period(machine_.clock)) {
    return base::Time((earliest.value() + period->value() - 1) / period->value() * period->value());
  }
  const base::Clock clock = machine_.core_clock();
  return clock.time_of(clock.edge_at_or_after(earliest));
}

Session::Answer Session::run(const Request& request) {
  assert(usable_ && request.steps > 0);
  const LoadedProgram& program = loaded(request.program);
  const base::Time begin = first_begin(std::max(request.arrival, now_) + options_.launch);
  std::map<int, Answer>& known = programs_[std::size_t(request.program)].known;
  const auto same = known.find(request.steps);
  Answer answer = same == known.end() ? simulate(request, begin) : same->second;
  answer.end += begin - answer.begin;
  answer.begin = begin;
  now_ = answer.end;
  if (usable_ && same == known.end() && repeats(program.program)) known.emplace(request.steps, answer);
  return answer;
}

Session::Answer Session::simulate(const Request& request, base::Time begin) {
  LoadedProgram& program = loaded(request.program);
  SimulatedSlice& slice = slice_for(program.fold.topology);
  const base::systemc::InContext inside(slice.context());
  slice.idle_until(begin);
  usable_ = false;
  Answer answer{begin, {}, Simulation(program, slice, machine_, options_, {request.steps, request.name}).run()};
  answer.end = base::systemc::now();
  usable_ = !answer.result.partial;
  return answer;
}

bool Session::repeats(const compiler::Program& program) const {
  const bool shown = options_.sink != nullptr || options_.timeline != nullptr;
  const bool fed = !program.infeeds.empty() || !program.outfeeds.empty();
  return reduces(options_) && options_.detail != Detail::chip && !shown && !fed && common_period(machine_.clock);
}

void Session::settle() {
  if (!usable_) return;
  for (const auto& slice : slices_) {
    const base::systemc::InContext inside(slice->context());
    base::systemc::run_in_slices([] { return false; });
    now_ = std::max(now_, base::systemc::now());
  }
}

}  // namespace podsim::sw::runtime::session
