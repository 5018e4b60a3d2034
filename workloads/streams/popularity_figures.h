// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace podsim::workloads::streams {

/// How popular the rows of a table are, from the number of look-ups of every row (or numbers in proportion to them).
struct PopularityFigures {
  std::int64_t rows = 0;
  double lookups = 0;
  /// -d log(count) / d log(rank): the slope of the straight line with the least squares, through points at equal
  /// distances of log(rank) from the rank of 0.1 % of the rows to that of 10 %. NaN for fewer than 1000 rows.
  double exponent = 0;
  double top_thousandth = 0, top_hundredth = 0, top_tenth = 0;  ///< shares of look-ups of the most popular rows
};

PopularityFigures popularity_figures(std::span<const double> counts);

/// Expected distinct rows among `lookups` independent look-ups: sum of 1 - (1 - p_i)^lookups. Counts give the p.
double expected_distinct(std::span<const double> counts, double lookups);

/// The share of look-ups of a batch that find a row that an earlier one of the batch has found, in expectation.
double duplicate_rate(std::span<const double> counts, double lookups);

/// Rows of a table on `shards` chips: row i is in shard i mod shards.
struct ShardLoad {
  double lookups = 0;   ///< share of the look-ups that the most loaded shard has, times the number of shards
  double distinct = 0;  ///< the same of expected distinct rows
};

/// The most loaded shard against the mean, for batches of `lookups`.
ShardLoad shard_load(std::span<const double> counts, double lookups, std::int64_t shards);

/// Singular values of a matrix, the largest first (one-sided Jacobi rotations, Hestenes 1958).
std::vector<double> singular_values(std::vector<std::vector<double>> matrix);

}  // namespace podsim::workloads::streams
