// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repeated_trips.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::sw::runtime {
namespace {

/// Simulated time at which a loop ends at the latest. Times are picoseconds in 64 bits, which hold 9 million seconds.
constexpr double longest_loop_s = 1e6;

constexpr std::int64_t min_loop_trips = 5;

}  // namespace

RepeatedTrips::RepeatedTrips(const compiler::Program& program, base::Frequency clock, std::size_t cores, bool segments)
    : program_(program), clock_(clock), cores_(cores), segment_begun_(program.items.size(), -1) {
  for (const compiler::Loop& loop : program.loops) loops_.push_back(may_be_skipped(loop));
  if (segments) segments_ = repetition::repeated_segments(program);
  for (std::size_t number = 0; number < segments_.size(); ++number) {
    const repetition::RepeatedSegment& segment = segments_[number];
    for (int item = segment.first; item < segment.end(); item += segment.period) {
      segment_begun_[std::size_t(item)] = int(number);
    }
  }
}

bool RepeatedTrips::may_be_skipped(const compiler::Loop& loop) const {
  const auto is_of_host = [](const compiler::ProgramItem& item) {
    return item.kind == compiler::ProgramItem::Kind::infeed || item.kind == compiler::ProgramItem::Kind::outfeed;
  };
  const auto items = program_.items.begin();
  return loop.trips >= min_loop_trips && std::none_of(items + loop.first, items + loop.end, is_of_host);
}

/// The trip that a core begins, if it may be skipped.
std::optional<RepeatedTrips::Trip> RepeatedTrips::trip_begun(const ProgramCursor& at) const {
  const int loop = at.loop_begun();
  if (loop >= 0 && loops_[std::size_t(loop)]) {
    return Trip{{.loop = loop}, at.entries(loop), at.trip(loop), program_.loops[std::size_t(loop)].trips};
  }
  const int number = segment_begun_[std::size_t(at.item())];
  if (number < 0) return std::nullopt;
  const repetition::RepeatedSegment& segment = segments_[std::size_t(number)];
  return Trip{{.segment = number}, at.step(), (at.item() - segment.first) / segment.period, segment.trips};
}

repetition::LoopWatch& RepeatedTrips::watch_of(const Trip& trip) {
  const std::pair<Repeated, std::int64_t> key{trip.of, trip.entry};
  if (const auto known = watches_.find(key); known != watches_.end()) return known->second;
  if (trip.of.segment < 0) return watches_.try_emplace(key, trip.trips, cores_.size()).first->second;
  repetition::LoopWatch::SteadyStates& steady = steady_states_[segments_[std::size_t(trip.of.segment)].content];
  // The items behind the last trip are as good as another trip, which is not skipped.
  return watches_.try_emplace(key, trip.trips + 1, cores_.size(), &steady).first->second;
}

std::optional<Repetition::Skip> RepeatedTrips::skip_now(const SimulatedCore& core, base::Cycles now,
                                                        Observation& seen) {
  const std::optional<Trip> trip = trip_begun(core.cursor);
  if (!trip) return std::nullopt;
  const std::int64_t trips = watch_of(*trip).begin_trip(core.index, trip->number, now);
  if (trips == 0) {
    mark(core, trip->of, seen);
    return std::nullopt;
  }
  cores_[core.index].skipped = trip->of;
  cores_[core.index].skipped_trips = trips;
  return skip_of(*trip, trips, core.cursor.item(), now);
}

/// A delay in place of trips that would repeat the previous ones.
Repetition::Skip RepeatedTrips::skip_of(const Trip& trip, std::int64_t trips, int item, base::Cycles now) {
  const base::Cycles period = watch_of(trip).period();
  const double end = double(now.value()) + double(period.value()) * double(trips);
  if (end / clock_.si() < longest_loop_s) return {period * trips};
  const std::string& name =
      trip.of.segment < 0 ? program_.loops[std::size_t(trip.of.loop)].name : program_.items[std::size_t(item)].hlo_name;
  return {{},
          fmt::format("%{} has {} trips and does not end within {:.0f} s of simulated time", name, trip.trips,
                      longest_loop_s)};
}

/// Remembers what has been seen when a trip begins.
void RepeatedTrips::mark(const SimulatedCore& core, const Repeated& of, Observation& seen) {
  if (core.observer >= 0) cores_[core.index].ended[of] = seen.of(core).items();
  if (core.is_first()) carried_[of] = seen.links().carried();
}

bool RepeatedTrips::trip_over(SimulatedCore& core, const hw::core::Core& hardware, const hw::CommandRecord& record,
                              Observation& seen) {
  const auto& [of, trips, ended] = cores_[core.index];
  if (trips == 0) return false;
  if (of.segment < 0) {
    core.cursor.skip_trips(of.loop, trips);
  } else {
    core.cursor.skip_items(int(trips) * segments_[std::size_t(of.segment)].period);
  }
  if (core.observer >= 0) {
    const base::Time end = hardware.time_of(record.end);
    add_to(seen, core, end);
    seen.skipped(core, fmt::format("{} trips like the one before, not simulated", trips),
                 hardware.time_of(record.start), end);
  }
  cores_[core.index].skipped_trips = 0;
  return true;
}

/// Adds the trips that an observed core has skipped, as it executed the last one.
void RepeatedTrips::add_to(Observation& seen, const SimulatedCore& core, base::Time end) {
  auto& [of, trips, ended] = cores_[core.index];
  if (of.segment < 0) {
    seen.of(core).repeat_from(program_, ended[of], trips, end);
  } else {
    seen.of(core).repeat_onward(program_, ended[of], trips, segments_[std::size_t(of.segment)].period, end);
  }
  if (!core.is_first()) return;
  skipped_trips_[of] = trips;
  seen.links().add_skipped(difference(seen.links().carried(), carried_[of]), trips);
}

std::string RepeatedTrips::note_of_segments() const {
  std::int64_t items = 0;
  for (const auto& [of, trips] : skipped_trips_) {
    if (of.segment >= 0) items += trips * segments_[std::size_t(of.segment)].period;
  }
  if (items == 0) return "";
  return fmt::format(
      "{} of {} ops are in layers that repeat the one before them, and are assumed to take as long, since all cores "
      "repeated one to 0.05 %",
      items, program_.items.size());
}

std::vector<std::string> RepeatedTrips::notes(int) const {
  std::vector<std::string> notes;
  for (const auto& [of, trips] : skipped_trips_) {
    if (of.loop < 0) continue;
    const compiler::Loop& loop = program_.loops[std::size_t(of.loop)];
    notes.push_back(fmt::format(
        "{}: {} of {} trips are assumed to take as long as the one before them, which all cores repeated to 0.05 %",
        loop.name, trips, loop.trips));
  }
  if (std::string note = note_of_segments(); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace podsim::sw::runtime
