// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/level_streams.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "hw/activity.h"
#include "hw/memory_levels.h"

namespace podsim::hw::timing {
namespace {

constexpr std::int64_t ticks_of_cycle = 1 << 20;

}  // namespace

LevelStream::LevelStream(const parts::level::Parameters& level, base::Frequency clock) {
  const double ticks_per_second = clock.si() * double(ticks_of_cycle);
  ticks_per_byte_ = {ticks_per_second / level.core_read_rate().si(), ticks_per_second / level.core_write_rate().si()};
}

base::Cycles LevelStream::submit(Direction direction, base::Bytes bytes, base::Cycles arrival) {
  End& end = ends_[std::size_t(direction)];
  if (arrival > end.cycle) end = {arrival, 0};
  const auto moving = std::int64_t(std::ceil(double(bytes.value()) * ticks_per_byte_[std::size_t(direction)]));
  const std::int64_t ticks = end.ticks + moving;
  end = {end.cycle + base::Cycles(ticks / ticks_of_cycle), ticks % ticks_of_cycle};
  return end.cycle + base::Cycles(end.ticks > 0 ? 1 : 0);
}

LevelStreams::LevelStreams(const Machine& machine) {
  for (const parts::level::Parameters& level : machine.levels) streams_.emplace_back(level, machine.clock);
}

void LevelStreams::submit(int number, Direction direction, base::Bytes bytes, base::Cycles arrival, std::uint64_t tag) {
  LevelStream& stream = streams_[std::size_t(number - level::first_declared)];
  const base::Cycles completion = stream.submit(direction, bytes, arrival);
  const auto later = std::ranges::upper_bound(pending_, completion, {}, &HbmStream::Completion::cycle);
  pending_.insert(later, {tag, direction, bytes, completion});
}

void LevelStreams::advance(base::Cycles cycle, std::vector<HbmStream::Completion>& completed) {
  const auto end = std::ranges::upper_bound(pending_, cycle, {}, &HbmStream::Completion::cycle);
  completed.insert(completed.end(), pending_.begin(), end);
  pending_.erase(pending_.begin(), end);
}

base::Cycles level_cycles(const Machine& machine, const TileOp& op) {
  base::Cycles most;
  const Activity done = activity(machine, op);
  for (int number = level::first_declared; const parts::level::Parameters& declared : machine.levels) {
    for (const Direction direction : {Direction::read, Direction::write}) {
      const base::Bytes bytes = (direction == Direction::read ? done.level_read : done.level_written)[number];
      most = std::max(most, LevelStream(declared, machine.clock).submit(direction, bytes, base::Cycles(0)));
    }
    ++number;
  }
  return most;
}

}  // namespace podsim::hw::timing
