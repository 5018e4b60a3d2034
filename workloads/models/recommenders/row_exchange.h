// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// Rows of large tables that cores look up in each other's memory.
namespace podsim::workloads::models::recommenders {

/// How popular rows of the large tables are; `engines`: their look-ups are not part of the program.
enum class Indices { engines, uniform, fractal };

struct ExchangeOptions {
  Indices indices = Indices::uniform;
  std::vector<std::int64_t> rows;  ///< of each table
  std::int64_t batch = 1;          ///< look-ups of a core in each table
  std::int64_t cores = 1;          ///< rows of every table are dealt over them in turn
};

/// Expected distinct rows of all tables in the look-ups of a core: for each table the sum of 1 - (1 - p_i)^batch.
double distinct_rows(const ExchangeOptions& options);

/// Slots for rows in the block that one core sends another. Shapes are static, so that the blocks of all pairs hold the
/// largest: hosts ask for each distinct row once, and a pair's number of rows is close to a Poisson variable with the
/// mean distinct_rows / cores. So there are as many slots as the expected largest of cores^2 such variables, rounded up
/// to the 8 rows of a layout tile. A batch that needs more loses look-ups or waits for the next step; how often, and
/// what then happens, is not modelled.
std::int64_t exchanged_rows(const ExchangeOptions& options);

}  // namespace podsim::workloads::models::recommenders
