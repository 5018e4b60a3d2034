// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include "hw/tile_op.h"

namespace podsim::hw {

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
      work.phases.push_back({{*rc::gen::inRange(0, 5), *rc::gen::inRange(0, 400)},
                             {*rc::gen::inRange(0, 800), *rc::gen::inRange(0, 800), *rc::gen::inRange(0, 2000),
                              *rc::gen::inRange(0, 300)},
                             *rc::gen::inRange(0, 60)});
    }
    op.runs.push_back({*rc::gen::inRange(0, max_tiles + 1), work});
  }
  return op;
}

}  // namespace podsim::hw
