// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "workloads/models/recommenders/dlrm_core.h"
#include "workloads/models/recommenders/row_exchange.h"

// `podsim stream`, and steps of DLRM with the indices that it describes, as a user runs them.
namespace podsim::test {
namespace {

namespace recommenders = workloads::models::recommenders;

TEST(Stream, PrintsTheSizesOfMlperfAndFiguresOfSeedAndExpansion) {
  const Folder folder;
  const Outcome outcome = folder.run({"stream", "--interactions", "3000000", "--svg", "curves.svg", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(json["users"].get<double>(), 2.2e6, 0.01 * 2.2e6);
  EXPECT_NEAR(json["items"].get<double>(), 855e3, 0.01 * 855e3);
  EXPECT_NEAR(json["expected_interactions"].get<double>(), 1.2e9, 0.01 * 1.2e9);
  EXPECT_EQ(json["streamed"], 3'000'000);
  for (const char* table : {"users", "items"}) {
    const auto &seed = json["seed_tables"][table], &expansion = json["tables"][table];
    EXPECT_NEAR(expansion["duplicate_rate"].get<double>() / seed["duplicate_rate"].get<double>(), 1, 0.05) << table;
    EXPECT_EQ(expansion["lookups"], 3e6);
    EXPECT_GE(expansion["largest_shard"].get<double>(), 1);
  }
  EXPECT_NE(folder.read("curves.svg").find("items of the expansion"), std::string::npos);
}

TEST(Stream, RefusesABatchOfNothing) {
  const Folder folder;
  const Outcome outcome = folder.run({"stream", "--batch", "0"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--batch"), std::string::npos);
}

double step_time(const Folder& folder, const std::string& indices, int batch) {
  const Outcome outcome = folder.run({"run", "dlrm", "--slice", "8x4", "--batch-per-core", std::to_string(batch),
                                      "--set", "model.indices=" + indices, "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out)["step_time_s"];
}

/// Rows that a core of 8x4 sends all others: 64 blocks.
double rows_sent(recommenders::Indices indices, int batch) {
  recommenders::ExchangeOptions options{indices, {}, batch, 64};
  for (const std::int64_t rows : recommenders::criteo_rows()) {
    if (rows > 8192) options.rows.push_back(std::min<std::int64_t>(rows, 40'000'000));
  }
  return 64 * double(recommenders::exchanged_rows(options));
}

// The law of docs/workloads.md. A row that a block has more is looked up (9 cycles), read (5) and updated (13) at 940
// MHz; and it crosses the links twice, as a row and as a gradient. Every chip of a line of 8 sends half of the rows of
// its two cores, 512 B each, across the line's middle: 4 chips over one link of 70.028 GB/s. The gradients of copies
// are added into an array of zeros, which the scatter reads once more, at 411 GB/s. Other passes of the rows through
// the HBM come on top, which the law leaves out: seven of them at 822 GB/s would be 5 %.
TEST(Stream, StepsOfDlrmDifferByTheRowsThatTheirIndicesExchange) {
  const Folder folder;
  for (const int batch : {1024, 2048}) {
    const double rows =
        rows_sent(recommenders::Indices::uniform, batch) - rows_sent(recommenders::Indices::fractal, batch);
    ASSERT_GT(rows, 1000);
    const double law = rows * ((9 + 5 + 13) / 940e6 + 2 * (4 * 0.5 * 2 * 512) / (82e9 * 0.854) + 512 / 411e9);
    const double simulated = step_time(folder, "uniform", batch) - step_time(folder, "fractal", batch);
    EXPECT_GT(simulated, law) << batch;
    EXPECT_LT(simulated, 1.12 * law) << batch;
  }
}

TEST(Stream, StepsOfDlrmWithBlocksOfOneSizeTakeOneTime) {
  // At 128 samples a core hardly any row repeats: both kinds of indices need the same multiple of 8 slots.
  const Folder folder;
  ASSERT_EQ(rows_sent(recommenders::Indices::uniform, 128), rows_sent(recommenders::Indices::fractal, 128));
  EXPECT_EQ(step_time(folder, "uniform", 128), step_time(folder, "fractal", 128));
}

}  // namespace
}  // namespace podsim::test
