// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "hw/direction.h"
#include "hw/timing/control_timing.h"
#include "hw/timing/tile_cursor.h"

namespace podsim::hw::timing {

/// The loop of a core over the tiles of an op, with two halves of each buffer:
///
///   issue the reads of tiles 0 and 1
///   for every tile t, with the halves t mod 2:
///     wait for its reads, and for the writes of tile t - 2 out of its half of the output
///     compute; then control: what scalar code takes until it has issued what follows
///     issue the writes of t and the reads of t + 2
///   wait for all writes
///
/// An op whose reads and writes take turns (TileOp::in_turns) waits for the reads of t + 1 before it issues the writes
/// of t, and for these before it issues the reads of t + 2.
///
/// `executor` performs it: the recurrence (TileWalk) by adding up cycles, the sequencer of a core (core::Sequencer) by
/// its units. They walk through the first `limit` of every run of equal tiles.
///
///   void issue(Direction, const TileCursor& tile, std::size_t half)
///   void wait_for(Direction, std::size_t half, std::int64_t tile)
///   void compute(const TileCursor& tile)
///   void control(base::Cycles)
///   void end_of(const TileCursor& tile)     the tile's writes are issued
///   void drain()
template <class Executor>
void run_tile_loop(const TileOp& op, const ControlTiming& control, std::int64_t limit, Executor& executor) {
  TileCursor ahead(op, limit);
  std::size_t fetched = 0;
  const auto fetch = [&] {
    if (ahead.done()) return;
    executor.issue(Direction::read, ahead, fetched++ % 2);
    ahead.next();
  };
  fetch();
  fetch();
  std::int64_t number = 0;
  for (TileCursor tile(op, limit); !tile.done(); tile.next(), ++number) {
    const std::size_t half = std::size_t(number % 2);
    executor.wait_for(Direction::read, half, number);
    executor.wait_for(Direction::write, half, number);
    executor.compute(tile);
    executor.control(control.duration(tile.run().work, ahead));
    if (op.in_turns) executor.wait_for(Direction::read, 1 - half, number + 1);
    executor.issue(Direction::write, tile, half);
    if (op.in_turns) executor.wait_for(Direction::write, half, number);
    executor.end_of(tile);
    fetch();
  }
  executor.drain();
}

}  // namespace podsim::hw::timing
