// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::workloads::streams {

/// Shares of the look-ups of a table that its rows have; `copies` rows have each of the shares.
struct TablePopularity {
  std::vector<double> shares;
  double copies = 1;
};

/// All rows have the same share.
TablePopularity uniform_popularity(std::int64_t rows);

/// The law of the seed's items (interaction_seed.h), grown to `rows` as the fractal expansion grows it: each item
/// becomes as many equally popular rows as the table has more rows, so that the most popular 1 % of the rows have the
/// same share of the look-ups in a table of any size. In a smaller table a row stands for neighbours by rank.
TablePopularity fractal_popularity(std::int64_t rows);

/// Expected distinct rows among `lookups` independent look-ups: sum of 1 - (1 - p_i)^lookups.
double expected_distinct(const TablePopularity& popularity, double lookups);

/// The expected largest of `count` independent Poisson variables: the sum over k of P(largest > k).
double largest_of_poisson(double mean, double count);

}  // namespace podsim::workloads::streams
