// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <random>

#include "hw/tile_op.h"

namespace podsim::hw {

/// A transfer of about `bytes`; three in four are contiguous, the others rows with gaps or scattered.
inline TileTransfer shaped(base::Bytes bytes, std::int64_t choice) {
  const AccessShape rows = AccessShape::rows(base::Bytes(512), 2048);
  const AccessShape scattered = AccessShape::scattered(base::Bytes(256), base::Bytes(1 << 24));
  if (choice < 2) return {base::Bytes(512) * (bytes / base::Bytes(512) + 1), rows};
  if (choice < 4) return {base::Bytes(256) * (bytes / base::Bytes(256) + 1), scattered};
  return {bytes, {}};
}

/// Moves two in three transfers of an op to the memories `levels`, in turn.
inline void spread(TileOp& op, const std::vector<int>& levels) {
  std::size_t number = 0;
  for (TileRun& run : op.runs) {
    for (std::vector<TileTransfer>* list : {&run.work.reads, &run.work.writes}) {
      for (TileTransfer& transfer : *list) {
        if (number++ % 3 != 0) transfer.level = levels[number % levels.size()];
      }
    }
  }
}

/// An op of up to `max_runs` runs of up to `max_tiles` tiles, memory or compute bound, with any mix of units.
inline TileOp random_op(int max_runs, int max_tiles, int max_transfers = 4) {
  const auto transfers = [&] {
    std::vector<TileTransfer> list(*rc::gen::inRange<std::size_t>(0, std::size_t(max_transfers)));
    for (TileTransfer& transfer : list) transfer.bytes = base::Bytes(*rc::gen::inRange(0, 400'000));
    return list;
  };
  TileOp op{"random", {}, base::Bytes(*rc::gen::inRange(0, 16 << 20))};
  const int runs = *rc::gen::inRange(1, max_runs + 1);
  for (int i = 0; i < runs; ++i) {
    TileWork work{transfers(), {}, transfers()};
    const int phases = *rc::gen::inRange(0, 4);
    for (int phase = 0; phase < phases; ++phase) {
      work.phases.push_back(TilePhase{MxuWork{*rc::gen::inRange(0, 5), *rc::gen::inRange(0, 400)},
                                      VectorWork{*rc::gen::inRange(0, 800), *rc::gen::inRange(0, 800),
                                                 *rc::gen::inRange(0, 2000), *rc::gen::inRange(0, 300)},
                                      CrossLaneWork{*rc::gen::inRange(0, 60)},
                                      ScalarWork{base::Cycles(*rc::gen::inRange(0, 600))}});
    }
    op.runs.push_back({*rc::gen::inRange(0, max_tiles + 1), work});
  }
  return op;
}

/// As above from a seed, for tests that run many ops concurrently: up to three runs, traffic over three orders of
/// magnitude, some of it rows with gaps or scattered.
class RandomOps {
 public:
  explicit RandomOps(std::uint32_t seed) : random_(seed) {}

  TileOp next(std::uint32_t longest_run) {
    const std::uint32_t scale = 1U << (8 + below(12));
    TileOp op{"op", {}, base::Bytes(below(16 << 20))};
    for (std::int64_t runs = below(3); runs >= 0; --runs) {
      TileWork work{transfers(5, scale), {}, transfers(4, scale)};
      for (std::int64_t phases = below(4); phases > 0; --phases) {
        work.phases.push_back(TilePhase{MxuWork{below(5), below(400)},
                                        VectorWork{below(800), below(800), below(2000), below(300)},
                                        CrossLaneWork{below(60)}, ScalarWork{base::Cycles(below(600))}});
      }
      op.runs.push_back({below(longest_run), work});
    }
    return op;
  }
  std::int64_t below(std::uint32_t limit) { return std::int64_t(random_() % limit); }

 private:
  std::vector<TileTransfer> transfers(std::uint32_t count, std::uint32_t scale) {
    std::vector<TileTransfer> list(std::size_t(below(count)));
    for (TileTransfer& transfer : list) transfer = shaped(base::Bytes(below(scale)), below(16));
    return list;
  }
  std::mt19937 random_;
};

}  // namespace podsim::hw
