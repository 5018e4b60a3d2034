// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/streams/fractal_expansion.h"
#include "workloads/streams/popularity_figures.h"
#include "workloads/streams/stream_counts.h"

/// The output of `podsim stream`: figures of a seed and of its expansion as they were streamed, side by side.
namespace podsim::workloads::streams {

struct StreamReport {
  /// A table of the seed or of the expansion.
  struct Table {
    std::string name;  ///< "users", "items"
    PopularityFigures figures;
    std::int64_t batch = 0;
    double duplicate_rate = 0;           ///< counted
    double expected_duplicate_rate = 0;  ///< duplicate_rate() of the counts
    ShardLoad load;
  };
  SeedOptions seed;
  ExpansionOptions expansion;
  std::int64_t users = 0, items = 0;  ///< of the expansion
  double expected_interactions = 0;   ///< of the whole expansion
  std::int64_t streamed = 0;
  std::int64_t shards = 1;
  std::vector<Table> seed_tables, tables;  ///< users, items
  std::vector<double> singular_values;     ///< of the reduced copy, in shares of the largest
  double seed_s = 0, wall_s = 0;           ///< to make the seed; in all
  double stream_s = 0;                     ///< to make and count the interactions
};

StreamReport::Table table_figures(std::string name, const TableCounts& counts, std::int64_t shards);

std::string stream_text(const StreamReport& report);
std::string stream_json(const StreamReport& report);

}  // namespace podsim::workloads::streams
