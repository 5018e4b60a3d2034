// SPDX-License-Identifier: Apache-2.0
// Part of sw/runtime/simulation.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "sw/runtime/simulation.h"

/// Trips of loops, and of segments that a program repeats, which are not simulated.
namespace podsim::sw::runtime {
namespace {

/// Simulated time at which a loop ends at the latest. Times are picoseconds in 64 bits, which hold 9 million seconds.
constexpr double longest_loop_s = 1e6;

/// Executions of collectives on all simulated cores together from which on known stretches are skipped. They take most
/// of the time of a simulation.
constexpr std::int64_t long_run = 50'000;

}  // namespace

/// A waveform shows every layer.
bool Simulation::may_skip_segments() const {
  return options_.fold && options_.detail != Detail::tile && options_.detail != Detail::chip &&
         options_.sink == nullptr;
}

void Simulation::find_segments() {
  segments_ = repeated_segments(program_);
  segment_begun_.assign(program_.items.size(), -1);
  for (std::size_t number = 0; number < segments_.size(); ++number) {
    const RepeatedSegment& segment = segments_[number];
    for (int item = segment.first; item < segment.end(); item += segment.period) {
      segment_begun_[std::size_t(item)] = int(number);
    }
  }
}

/// The trip that a core begins, if it may be skipped.
std::optional<Simulation::Trip> Simulation::trip_begun(const CoreState& at) const {
  const int loop = at.cursor.loop_begun();
  const bool exact = options_.detail == Detail::tile || !options_.fold;
  if (loop >= 0 && !exact && may_skip(program_.loops[std::size_t(loop)])) {
    return Trip{{.loop = loop}, at.cursor.entries(loop), at.cursor.trip(loop), program_.loops[std::size_t(loop)].trips};
  }
  const int number = segment_begun_.empty() ? -1 : segment_begun_[std::size_t(at.cursor.item())];
  if (number < 0) return std::nullopt;
  const RepeatedSegment& segment = segments_[std::size_t(number)];
  return Trip{
      {.segment = number}, at.cursor.step(), (at.cursor.item() - segment.first) / segment.period, segment.trips};
}

LoopWatch& Simulation::watch_of(const Trip& trip) {
  const std::pair<Repetition, std::int64_t> key{trip.of, trip.entry};
  if (const auto known = watches_.find(key); known != watches_.end()) return known->second;
  if (trip.of.segment < 0) return watches_.try_emplace(key, trip.trips, states_.size()).first->second;
  LoopWatch::SteadyStates& steady = steady_states_[segments_[std::size_t(trip.of.segment)].content];
  // The items behind the last trip are as good as another trip, which is not skipped.
  return watches_.try_emplace(key, trip.trips + 1, states_.size(), &steady).first->second;
}

/// Returns a delay in place of trips that would repeat the previous ones. Trips that do not end are a verdict.
std::optional<hw::Command> Simulation::skip_trips(hw::core::Core& core, CoreState& at) {
  const std::optional<Trip> trip = trip_begun(at);
  if (!trip) return std::nullopt;
  LoopWatch& watch = watch_of(*trip);
  at.skipped.trips = watch.begin_trip(at.index, trip->number, core.now());
  if (at.skipped.trips > 0) {
    at.skipped.of = trip->of;
    const double skipped = double(watch.period().value()) * double(at.skipped.trips);
    if ((double(core.now().value()) + skipped) / machine_.clock.si() < longest_loop_s) {
      return hw::Delay{watch.period() * at.skipped.trips};
    }
    const compiler::ProgramItem& first = program_.items[std::size_t(at.cursor.item())];
    const std::string& name = trip->of.segment < 0 ? program_.loops[std::size_t(trip->of.loop)].name : first.hlo_name;
    failed(core, fmt::format("%{} has {} trips and does not end within {:.0f} s of simulated time", name, trip->trips,
                             longest_loop_s));
    at.skipped.trips = 0;
    return std::nullopt;
  }
  if (at.observer >= 0) at.trip_items[trip->of] = observation_->of(at).items();
  if (at.is_first()) trip_bytes_[trip->of] = observation_->links().carried();
  return std::nullopt;
}

bool Simulation::may_skip(const compiler::Loop& loop) const {
  return loop.trips > 4 && std::none_of(program_.items.begin() + loop.first, program_.items.begin() + loop.end,
                                        [](const compiler::ProgramItem& item) {
                                          return item.kind == compiler::ProgramItem::Kind::infeed ||
                                                 item.kind == compiler::ProgramItem::Kind::outfeed;
                                        });
}

void Simulation::observe_skipped(CoreState& at, hw::core::Core& core, const hw::CommandRecord& record) {
  const auto [of, trips] = std::exchange(at.skipped, {});
  const int period = of.segment < 0 ? 0 : segments_[std::size_t(of.segment)].period;
  if (of.segment < 0) {
    at.cursor.skip_trips(of.loop, trips);
  } else {
    at.cursor.skip_items(int(trips) * period);
  }
  if (at.observer < 0) return;
  StepObserver& observer = observation_->of(at);
  const base::Time end = core.time_of(record.end);
  if (of.segment < 0) {
    observer.repeat_from(program_, at.trip_items[of], trips, end);
  } else {
    observer.repeat_onward(program_, at.trip_items[of], trips, period, end);
  }
  if (!at.is_first()) return;
  observation_->skipped(at, fmt::format("{} trips like the one before, not simulated", trips),
                        core.time_of(record.start), end);
  skipped_trips_[of] = trips;
  LinkBytes& links = observation_->links();
  links.add_skipped(difference(links.carried(), trip_bytes_[of]), trips);
}

void Simulation::find_known_stretches() {
  const std::int64_t collectives =
      std::ranges::count(program_.items, compiler::ProgramItem::Kind::collective, &compiler::ProgramItem::kind);
  const std::int64_t executions = collectives * std::int64_t(states_.size()) * options_.steps;
  if (!may_skip_segments() || executions < long_run) return;
  known_ = std::make_unique<KnownStretches>(program_, options_.steps, states_.size());
  place_bytes_.resize(std::size_t(known_->places()));
  for (CoreState& at : states_) {
    if (at.observer >= 0) at.by_place.resize(place_bytes_.size());
  }
}

std::int64_t Simulation::position(const CoreState& at) const {
  return at.cursor.step() * std::int64_t(program_.items.size()) + at.cursor.item();
}

void Simulation::begins_item(hw::core::Core& core, const CoreState& at) {
  if (!known_) return;
  const std::int64_t begun = position(at);
  known_->begins(begun, core.now());
  if (bytes_before_.empty() || !at.is_first()) return;
  std::vector<base::Bytes>& bytes = place_bytes_[std::size_t(known_->place(begun - 1))];
  bytes = difference(observation_->links().carried(), bytes_before_);
  bytes_before_.clear();
}

/// Returns a delay in place of items that all cores have executed before.
std::optional<hw::Command> Simulation::skip_stretch(CoreState& at) {
  if (!known_) return std::nullopt;
  const std::int64_t begun = position(at);
  if (const std::optional<base::Cycles> duration = known_->duration_from(begun)) {
    at.stretch = &known_->stretch_from(begun);
    return hw::Delay{*duration};
  }
  const int place = known_->place(begun);
  const bool is_first = at.is_first();
  if (is_first && place >= 0 && place_bytes_[std::size_t(place)].empty())
    bytes_before_ = observation_->links().carried();
  return std::nullopt;
}

void Simulation::stretch_over(CoreState& at, hw::core::Core& core, const hw::CommandRecord& record) {
  if (at.observer >= 0) add_stretch(at, core, record);
  const KnownStretches::Stretch& stretch = *std::exchange(at.stretch, nullptr);
  at.cursor.skip_items(stretch.items);
  if (!at.is_first()) return;
  stretch_items_ += stretch.items;
  for (std::int64_t item = stretch.first; item < stretch.first + stretch.items; ++item) {
    observation_->links().add_skipped(place_bytes_[std::size_t(known_->place(item))], 1);
  }
  observation_->skipped(at, fmt::format("{} ops as before, not simulated", stretch.items), core.time_of(record.start),
                        core.time_of(record.end));
}

/// Adds the items of a skipped stretch to the step of an observed core, as it executed them last. What the stretch
/// takes less or more on the mean of all cores, this core waits less or more in its collectives.
void Simulation::add_stretch(CoreState& at, const hw::core::Core& core, const hw::CommandRecord& record) {
  std::vector<ItemResult> items;
  base::Time rest = core.time_of(record.end) - core.time_of(record.start), waiting;
  const auto kind = [&](const ItemResult& item) { return program_.items[std::size_t(item.item)].kind; };
  for (int number = 0; number < at.stretch->items; ++number) {
    ItemResult& item = items.emplace_back(at.by_place[std::size_t(known_->place(at.stretch->first + number))]);
    item.item = at.cursor.item() + number;
    if (kind(item) == compiler::ProgramItem::Kind::collective) {
      waiting += item.duration;
    } else {
      rest -= item.duration;
    }
  }
  const double longer = waiting > base::Time(0) ? double(rest.value()) / double(waiting.value()) : 0;
  for (ItemResult& item : items) {
    if (kind(item) == compiler::ProgramItem::Kind::collective && longer > 0) {
      item.duration = base::Time(std::int64_t(double(item.duration.value()) * longer));
    }
    observation_->of(at).item_ended(kind(item), item, core.time_of(record.end));
  }
}

void Simulation::note_skipped_loops() {
  for (std::size_t number = 0; number < program_.loops.size(); ++number) {
    const auto skipped = skipped_trips_.find({.loop = int(number)});
    if (skipped == skipped_trips_.end()) continue;
    result_.notes.push_back(fmt::format(
        "{}: {} of {} trips are taken to be as long as the one before them, which all cores repeated to 0.05 %",
        program_.loops[number].name, skipped->second, program_.loops[number].trips));
  }
}

void Simulation::note_skipped_segments() {
  std::int64_t items = 0;
  for (const auto& [of, trips] : skipped_trips_) {
    if (of.segment >= 0) items += trips * segments_[std::size_t(of.segment)].period;
  }
  if (last_stretch_items_ > 0) {
    result_.notes.push_back(
        fmt::format("{} of {} ops come after the same ops as before, and are taken to be as long as those were on the "
                    "mean of all cores",
                    last_stretch_items_, program_.items.size()));
  }
  if (items == 0) return;
  result_.notes.push_back(
      fmt::format("{} of {} ops are in layers that repeat the one before them, and are taken to be as long, since all "
                  "cores repeated one to 0.05 %",
                  items, program_.items.size()));
}

}  // namespace podsim::sw::runtime