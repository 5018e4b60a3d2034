// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/row_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/workloads/models/recommenders/dlrm_reference.h"
#include "workloads/models/recommenders/dlrm_core.h"
#include "workloads/streams/alias_table.h"
#include "workloads/streams/random_bits.h"
#include "workloads/streams/table_popularity.h"

namespace podsim::workloads::models::recommenders {
namespace {

/// The largest number of distinct rows that one core asks of another, in a batch of drawn indices.
double largest_block(const ExchangeOptions& options, streams::RandomSequence& random) {
  const auto cores = std::size_t(options.cores);
  std::vector<std::vector<std::int64_t>> owners;  // of every row of every table, dealt at random
  std::vector<streams::AliasTable> tables;
  for (const std::int64_t rows : options.rows) {
    const streams::TablePopularity popularity =
        options.indices == Indices::fractal ? streams::fractal_popularity(rows) : streams::uniform_popularity(rows);
    std::vector<double> shares(std::size_t(rows), popularity.shares.back());
    if (popularity.shares.size() == std::size_t(rows)) shares = popularity.shares;
    tables.emplace_back(shares);
    std::vector<std::int64_t>& owner = owners.emplace_back(rows);
    for (std::size_t i = 0; i < owner.size(); ++i) owner[i] = std::int64_t(i % cores);
    for (std::size_t i = owner.size(); i > 1; --i) std::swap(owner[i - 1], owner[random.below(i)]);
  }
  std::int64_t largest = 0;
  for (std::size_t core = 0; core < cores; ++core) {
    std::vector<std::int64_t> asked(cores);
    for (std::size_t table = 0; table < tables.size(); ++table) {
      std::set<std::uint32_t> rows;
      for (std::int64_t i = 0; i < options.batch; ++i) rows.insert(tables[table].draw(random.bits()));
      for (const std::uint32_t row : rows) ++asked[std::size_t(owners[table][row])];
    }
    largest = std::max(largest, *std::ranges::max_element(asked));
  }
  return double(largest);
}

TEST(RowExchange, BlocksHoldTheExpectedLargestNumberOfDistinctRows) {
  streams::RandomSequence random(5);
  for (const Indices indices : {Indices::uniform, Indices::fractal}) {
    const ExchangeOptions options{indices, {12000, 15000, 20000}, 1000, 16};
    double mean = 0;
    constexpr int batches = 20;
    for (int i = 0; i < batches; ++i) mean += largest_block(options, random) / batches;
    // Rounding up adds up to 7 rows; 5 % for the mean of 20 batches and for counts that are not quite Poisson's.
    EXPECT_GE(double(exchanged_rows(options)), 0.95 * mean);
    EXPECT_LE(double(exchanged_rows(options)), 1.05 * mean + 8);
  }
}

TEST(RowExchange, LargestOfPoissonIsThatOfItsDistribution) {
  // One variable: its mean. Two with mean 1: sum over k of 1 - F(k)^2, with F(0) = 1/e, F(1) = 2/e, F(2) = 2.5/e, ...
  EXPECT_NEAR(streams::largest_of_poisson(37.5, 1), 37.5, 1e-6);
  EXPECT_NEAR(streams::largest_of_poisson(2000, 1), 2000, 1e-3);
  EXPECT_EQ(streams::largest_of_poisson(0, 9), 0);
  double expected = 0, term = std::exp(-1.0), below = 0;
  for (int k = 0; k < 30; ++k) {
    below += term;
    term /= k + 1;
    expected += 1 - below * below;
  }
  EXPECT_NEAR(streams::largest_of_poisson(1, 2), expected, 1e-6);
}

TEST(RowExchange, FatTailsHaveTheSameShareInTablesOfAnySize) {
  for (const std::int64_t rows : {5'000, 26'744, 855'808, 40'000'000}) {
    const streams::TablePopularity popularity = streams::fractal_popularity(rows);
    double sum = 0, top = 0;
    const std::size_t hundredth = popularity.shares.size() / 100;
    for (std::size_t i = 0; i < popularity.shares.size(); ++i) {
      sum += popularity.copies * popularity.shares[i];
      if (i < hundredth) top += popularity.copies * popularity.shares[i];
    }
    EXPECT_NEAR(sum, 1, 1e-9) << rows;
    EXPECT_NEAR(double(popularity.shares.size()) * popularity.copies, double(rows), 1e-6 * double(rows));
    EXPECT_NEAR(top, 0.42, 0.01) << rows;  // as the law of 26744 items
    EXPECT_LT(streams::expected_distinct(popularity, 1e4),
              streams::expected_distinct(streams::uniform_popularity(rows), 1e4));
  }
}

/// Tables of 5, 900, 2, 700 and 800 rows, the first and the third small, and two samples on each of two cores.
DlrmCoreOptions exchanging_core() {
  DlrmCoreOptions options;
  options.network.batch = 2;
  options.network.dense_features = 3;
  options.network.rows = {5, 901, 2, 700, 800};
  options.network.bottom = {4, 3};
  options.network.top = {5, 1};
  options.network.type = hlo::ElementType::f64;
  options.replicas = 2;
  options.kept_rows = 10;
  options.exchanged_rows = 4;
  options.feed_in = false;
  return options;
}

/// Row of every table that every sample reads. Both samples of core 0 read row 17 of table 1, and so does core 1; three
/// samples read row 6 of table 3.
constexpr int read_rows[4][5] = {{4, 17, 0, 5, 1}, {0, 17, 1, 6, 2}, {4, 17, 1, 6, 3}, {2, 900, 0, 6, 799}};
/// The program puts the rows of small tables first, then the bottom perceptron's result, then rows of large tables.
const std::vector<std::size_t> vector_order = {1, 3, 0, 2, 4, 5};

/// The location of row `row` of a table: its core, and its position in that core's shard.
std::pair<std::size_t, std::int64_t> place_of(const DlrmCoreOptions& o, std::size_t table, int row) {
  std::int64_t before = 0;
  for (const std::size_t large : large_tables(o)) {
    if (large < table) before += (o.network.rows[large] + 1) / 2;
  }
  return {std::size_t(row % 2), before + row / 2};
}

struct Lists {
  std::vector<double> requests, copies;
};

/// The lists that hosts send to a core.
Lists lists_of(const DlrmCoreOptions& o, std::size_t core) {
  Lists lists{std::vector<double>(8, double(shard_rows(o))), {}};
  std::map<std::pair<std::size_t, int>, std::size_t> slots;
  std::vector<std::size_t> used(2);
  for (std::size_t sample = 2 * core; sample < 2 * core + 2; ++sample) {
    for (const std::size_t table : large_tables(o)) {
      const int row = read_rows[sample][table];
      const auto [owner, place] = place_of(o, table, row);
      const auto [slot, is_new] = slots.try_emplace({table, row}, 4 * owner + used[owner]);
      if (is_new) lists.requests[4 * owner + used[owner]++] = double(place);
      lists.copies.push_back(double(slot->second));
    }
  }
  return lists;
}

TEST(RowExchange, OfTwoCoresHasTheLossAndTheUpdateOfTheFormulas) {
  const DlrmCoreOptions options = exchanging_core();
  const TrainingStep step = dlrm_core_step(options);
  hlo::build::verify(step.module);
  const hlo::Computation& entry = step.module.entry_computation();
  DlrmOptions whole = options.network;
  whole.batch = 4;
  Tensors reference;
  unsigned seed = 1;
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    reference["table" + std::to_string(i)] =
        hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::f64, {whole.rows[i], 3}), seed++);
  }
  hlo::Literal& all = reference["categorical"] = hlo::make_zeros(hlo::make_shape(hlo::ElementType::s32, {4, 5}));
  for (std::size_t i = 0; i < all.values.size(); ++i) all.values[i] = read_rows[i / 5][i % 5];
  reference["labels"] = hlo::make_zeros(hlo::make_shape(hlo::ElementType::f64, {4}));
  reference["labels"].values = {1, 0, 0, 1};
  reference["dense"] = hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::f64, {4, 3}), seed++);
  std::vector<std::vector<hlo::Literal>> arguments(2);
  for (const hlo::InstructionId id : entry.parameters) {
    const std::string& name = entry[id].name;
    const hlo::Literal common = hlo::testing::random_literal(entry[id].shape, seed++);
    if (name.starts_with("bottom") || name.starts_with("top")) reference[name] = common;
    for (std::size_t core = 0; core < 2; ++core) {
      hlo::Literal value = common;
      const auto half_of = [&](const std::string& batched) {
        const std::vector<double>& values = reference.at(batched).values;
        const auto middle = std::ptrdiff_t(values.size() / 2);
        value.values.assign(values.begin() + std::ptrdiff_t(core) * middle,
                            values.begin() + std::ptrdiff_t(core + 1) * middle);
      };
      if (name == "labels" || name == "dense") half_of(name);
      if (name == "learning_rate") value.values = {0.25};
      if (name == "requests") value.values = lists_of(options, core).requests;
      if (name == "copies") value.values = lists_of(options, core).copies;
      if (name == "categorical") {
        value.values.clear();
        for (std::size_t sample = 2 * core; sample < 2 * core + 2; ++sample) {
          for (const std::size_t table : small_tables(options)) value.values.push_back(read_rows[sample][table]);
        }
      }
      if (name == "tables") {
        value.values.clear();
        for (const std::size_t table : small_tables(options)) {
          const auto& rows = reference.at("table" + std::to_string(table)).values;
          value.values.insert(value.values.end(), rows.begin(), rows.end());
        }
      }
      if (name == "shard") {
        for (const std::size_t table : large_tables(options)) {
          for (int row = 0; row < whole.rows[table]; ++row) {
            const auto [owner, place] = place_of(options, table, row);
            if (owner != core) continue;
            const auto from = reference.at("table" + std::to_string(table)).values.begin() + 3 * row;
            std::copy_n(from, 3, value.values.begin() + 3 * place);
          }
        }
      }
      arguments[core].push_back(value);
    }
  }
  const std::vector<hlo::Literal> results = hlo::eval::evaluate_partitions(step.module, arguments);
  const std::size_t loss = step.donations.size();
  EXPECT_NEAR(results[0].elements[loss].values[0] + results[1].elements[loss].values[0],
              reference_loss(whole, reference, vector_order), 1e-12);
  // Rows move down the central difference of the loss, once for all samples that read them.
  for (std::size_t sample = 0; sample < 4; ++sample) {
    for (const std::size_t table : large_tables(options)) {
      const int row = read_rows[sample][table];
      const auto [owner, place] = place_of(options, table, row);
      for (std::size_t k = 0; k < 3; ++k) {
        double& value = reference["table" + std::to_string(table)].values[std::size_t(row) * 3 + k];
        constexpr double h = 1e-6;
        const double middle = value;
        value = middle + h;
        const double above = reference_loss(whole, reference, vector_order);
        value = middle - h;
        const double slope = (above - reference_loss(whole, reference, vector_order)) / (2 * h);
        value = middle;
        EXPECT_NEAR(results[owner].elements[loss - 1].values[std::size_t(place) * 3 + k], middle - 0.25 * slope, 1e-8)
            << table << ' ' << row;
      }
    }
  }
}

}  // namespace
}  // namespace podsim::workloads::models::recommenders
