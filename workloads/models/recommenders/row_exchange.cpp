// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/row_exchange.h"

#include <cmath>

#include "base/units.h"
#include "workloads/streams/table_popularity.h"

namespace podsim::workloads::models::recommenders {

double distinct_rows(const ExchangeOptions& options) {
  double distinct = 0;
  for (std::int64_t rows : options.rows) {
    const streams::TablePopularity popularity =
        options.indices == Indices::fractal ? streams::fractal_popularity(rows) : streams::uniform_popularity(rows);
    distinct += streams::expected_distinct(popularity, double(options.batch));
  }
  return distinct;
}

std::int64_t exchanged_rows(const ExchangeOptions& options) {
  constexpr std::int64_t tile_rows = 8;
  const double cores = double(options.cores);
  const double largest = options.cores == 1
                             ? distinct_rows(options)
                             : streams::largest_of_poisson(distinct_rows(options) / cores, cores * cores);
  return base::round_up(std::int64_t(std::ceil(largest)), tile_rows);
}

}  // namespace podsim::workloads::models::recommenders
