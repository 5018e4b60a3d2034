// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "workloads/streams/fractal_expansion.h"

namespace podsim::workloads::streams {

/// What a stream of interactions looked up in a table of users or of items.
struct TableCounts {
  std::vector<double> lookups;  ///< of every row
  std::int64_t batch = 0;       ///< look-ups that make up a batch, one after the other
  std::int64_t batches = 0;     ///< whole ones
  double duplicates = 0;        ///< look-ups of whole batches that find a row which their batch has found before
  double duplicate_rate() const { return batches == 0 ? 0 : duplicates / double(batches * batch); }
};

struct StreamCounts {
  TableCounts users, items;
  std::int64_t interactions = 0;
};

/// Looks at all interactions of a seed, in batches of the given sizes.
StreamCounts seed_counts(const InteractionSeed& seed, std::int64_t user_batch, std::int64_t item_batch);

/// Looks at the next `interactions` of a stream block by block. `progress` gets the number so far and may throw.
StreamCounts stream_counts(const FractalExpansion& expansion, InteractionStream& stream, std::int64_t interactions,
                           std::int64_t batch, const std::function<void(std::int64_t)>& progress = {});

}  // namespace podsim::workloads::streams
