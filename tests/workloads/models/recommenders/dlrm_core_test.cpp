// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/dlrm_core.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/workloads/by_name.h"
#include "tests/workloads/models/recommenders/dlrm_reference.h"

namespace podsim::workloads::models::recommenders {
namespace {

/// Tables of 5, 900, 2, 700 and 800 rows: the first and the third are small. Four samples, slots for two rows.
DlrmCoreOptions tiny_core() {
  DlrmCoreOptions options;
  options.network.batch = 4;
  options.network.dense_features = 3;
  options.network.rows = {5, 900, 2, 700, 800};
  options.network.bottom = {4, 3};
  options.network.top = {5, 1};
  options.network.type = hlo::ElementType::f64;
  options.kept_rows = 10;
  options.repeated_rows = 2;
  options.feed_in = false;
  return options;
}

/// Row of every table that every sample reads. Samples 0 and 2 read the same row of table 1, and 1, 2 and 3 of table 3.
const std::vector<std::vector<int>> places = {{4, 17, 0, 5, 1}, {0, 18, 1, 6, 2}, {4, 17, 1, 6, 3}, {2, 20, 0, 6, 4}};

/// The program puts the rows of small tables first, then the bottom perceptron's result, then rows of large tables.
const std::vector<std::size_t> order = {1, 3, 0, 2, 4, 5};

/// The data that engines send for a large table: a row for each of `batch` samples, and rows that several of them read.
struct Sent {
  std::vector<double> rows;                    ///< [batch + repeated, width]
  std::vector<double> slot, weight, sample;    ///< weight 0 where nothing is repeated
  std::vector<std::vector<std::size_t>> used;  ///< for every row, the samples that read it
};

Sent sent(const DlrmCoreOptions& o, std::size_t table, const Tensors& tables) {
  const std::size_t batch = std::size_t(o.network.batch), width = std::size_t(o.network.bottom.back());
  Sent result;
  result.rows.resize((batch + std::size_t(o.repeated_rows)) * width);
  result.used.resize(batch + std::size_t(o.repeated_rows));
  std::map<int, std::vector<std::size_t>> readers;
  for (std::size_t s = 0; s < batch; ++s) readers[places[s][table]].push_back(s);
  std::size_t shared = 0;
  for (const auto& [place, samples] : readers) {
    const std::size_t row = samples.size() == 1 ? samples[0] : batch + shared;
    const auto& values = tables.at("table" + std::to_string(table)).values;
    std::copy_n(values.begin() + std::ptrdiff_t(std::size_t(place) * width), width,
                result.rows.begin() + std::ptrdiff_t(row * width));
    result.used[row] = samples;
    if (samples.size() == 1) continue;
    for (const std::size_t sample : samples) {
      result.slot.push_back(double(shared));
      result.weight.push_back(1);
      result.sample.push_back(double(sample));
    }
    ++shared;
  }
  result.slot.resize(batch);
  result.weight.resize(batch);
  result.sample.resize(batch);
  return result;
}

/// The same numbers for the program and for the loops of the reference.
struct Case {
  std::vector<hlo::Literal> arguments;
  Tensors reference;
  std::vector<Sent> sent;  ///< by large table
};

Case tiny_case(const hlo::Module& module, const DlrmCoreOptions& o) {
  Case result;
  const std::size_t width = std::size_t(o.network.bottom.back()), batch = std::size_t(o.network.batch);
  unsigned seed = 1;
  for (std::size_t i = 0; i < o.network.rows.size(); ++i) {
    const auto shape = hlo::make_shape(hlo::ElementType::f64, {o.network.rows[i], std::int64_t(width)});
    result.reference["table" + std::to_string(i)] = hlo::testing::random_literal(shape, seed++);
  }
  for (const std::size_t table : large_tables(o)) result.sent.push_back(sent(o, table, result.reference));
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::InstructionId id : entry.parameters) {
    const std::string& name = entry[id].name;
    hlo::Literal value = hlo::testing::random_literal(entry[id].shape, seed++);
    if (name == "labels") {
      for (double& label : value.values) label = label > 0;
    } else if (name == "learning_rate") {
      value.values = {0.25};
    } else if (name == "tables") {
      value.values.clear();
      for (const std::size_t table : small_tables(o)) {
        const auto& rows = result.reference.at("table" + std::to_string(table)).values;
        value.values.insert(value.values.end(), rows.begin(), rows.end());
      }
    } else if (name == "categorical") {
      value.values.clear();
      for (const auto& sample : places) {
        for (const std::size_t table : small_tables(o)) value.values.push_back(sample[table]);
      }
    } else if (name.starts_with("rows")) {
      // Row r of the array has row r of each of its tables side by side: the first array has one table, the other two.
      const std::size_t first = name == "rows0" ? 0 : 1, count = name == "rows0" ? 1 : 2;
      value.values.clear();
      for (std::size_t row = 0; row < batch + std::size_t(o.repeated_rows); ++row) {
        for (std::size_t i = first; i < first + count; ++i) {
          const auto begin = result.sent[i].rows.begin() + std::ptrdiff_t(row * width);
          value.values.insert(value.values.end(), begin, begin + std::ptrdiff_t(width));
        }
      }
    } else if (name.starts_with("slot")) {
      value.values = result.sent[std::size_t(name.back() - '0')].slot;
    } else if (name.starts_with("weight")) {
      value.values = result.sent[std::size_t(name.back() - '0')].weight;
    } else if (name.starts_with("sample")) {
      value.values = result.sent[std::size_t(name.back() - '0')].sample;
    } else {
      result.reference[name] = value;
    }
    if (name == "labels" || name == "dense") result.reference[name] = value;
    result.arguments.push_back(value);
  }
  const auto shape = hlo::make_shape(hlo::ElementType::s32, {4, 5});
  hlo::Literal& all = result.reference["categorical"] = hlo::make_zeros(shape);
  for (std::size_t i = 0; i < all.values.size(); ++i) all.values[i] = places[i / 5][i % 5];
  return result;
}

/// Central difference of the reference's loss.
double slope(const DlrmOptions& o, Tensors& tensors, const std::string& name, std::size_t at) {
  constexpr double h = 1e-6;
  double& value = tensors[name].values[at];
  const double middle = value;
  value = middle + h;
  const double above = reference_loss(o, tensors, order);
  value = middle - h;
  const double below = reference_loss(o, tensors, order);
  value = middle;
  return (above - below) / (2 * h);
}

// The reference reads rows of tables; the program gets those of large tables once, though several samples read them.
TEST(DlrmCore, HasTheLossOfTheFormulas) {
  const DlrmCoreOptions options = tiny_core();
  const TrainingStep step = dlrm_core_step(options);
  hlo::build::verify(step.module);
  const Case tiny = tiny_case(step.module, options);
  const hlo::Literal result = hlo::eval::evaluate(step.module, tiny.arguments);
  const std::size_t loss = step.donations.size();
  EXPECT_NEAR(result.elements[loss].values[0], reference_loss(options.network, tiny.reference, order), 1e-12);
}

// Small tables and perceptrons move down the slope; the gradient of a large table's row goes back to the engines.
TEST(DlrmCore, UpdatesWhatIsOnTheCoreAndSendsTheOtherGradients) {
  const DlrmCoreOptions options = tiny_core();
  const TrainingStep step = dlrm_core_step(options);
  Case tiny = tiny_case(step.module, options);
  const hlo::Literal result = hlo::eval::evaluate(step.module, tiny.arguments);
  const hlo::Computation& entry = step.module.entry_computation();
  for (std::size_t i = 0; i < step.donations.size(); ++i) {
    const std::string& name = entry[entry.parameters[step.donations[i].parameter]].name;
    if (name == "tables") continue;
    for (std::size_t k = 0; k < result.elements[i].values.size(); ++k) {
      const double expected = tiny.reference[name].values[k] - 0.25 * slope(options.network, tiny.reference, name, k);
      EXPECT_NEAR(result.elements[i].values[k], expected, 1e-8) << name << k;
    }
  }
  std::size_t at = 0;  // the tables come first
  for (const std::size_t table : small_tables(options)) {
    const std::string name = "table" + std::to_string(table);
    for (std::size_t k = 0; k < tiny.reference[name].values.size(); ++k, ++at) {
      const double expected = tiny.reference[name].values[k] - 0.25 * slope(options.network, tiny.reference, name, k);
      EXPECT_NEAR(result.elements[0].values[at], expected, 1e-8) << name << k;
    }
  }
  const std::size_t width = 3;
  for (std::size_t i = 0; i < tiny.sent.size(); ++i) {
    const std::size_t tables = i == 0 ? 1 : 2, column = i == 2 ? 1 : 0, table = large_tables(options)[i];
    const auto& gradient = result.elements[step.donations.size() + 1 + (i == 0 ? 0 : 1)].values;
    for (std::size_t row = 0; row < tiny.sent[i].used.size(); ++row) {
      if (tiny.sent[i].used[row].empty()) continue;
      const auto place = std::size_t(places[tiny.sent[i].used[row][0]][table]);
      for (std::size_t k = 0; k < width; ++k) {
        const double expected =
            slope(options.network, tiny.reference, "table" + std::to_string(table), place * width + k);
        EXPECT_NEAR(gradient[(row * tables + column) * width + k], expected, 1e-8) << table << " " << row;
      }
    }
  }
}

// Shapes of the published profile: 19656 rows of small tables (ours are Criteo's 19660), 1664 of them read; arrays of
// 6 x 136 and 7 x 136 rows from the engines.
TEST(DlrmCore, HasTheShapesOfThePublishedProfile) {
  DlrmCoreOptions options;
  options.network.batch = 128;
  options.feed_in = false;
  EXPECT_EQ(small_tables(options).size(), 13u);
  EXPECT_EQ(large_tables(options).size(), 13u);
  const hlo::Module module = dlrm_core_step(options).module;
  const hlo::Computation& entry = module.entry_computation();
  std::map<std::string, std::vector<std::int64_t>> sizes;
  for (const hlo::InstructionId id : entry.parameters) sizes[entry[id].name] = entry[id].shape.dimensions;
  EXPECT_NEAR(double(sizes["tables"][0]), 19656, 0.001 * 19656);
  EXPECT_EQ(sizes["rows0"], (std::vector<std::int64_t>{816, 128}));
  EXPECT_EQ(sizes["rows1"], (std::vector<std::int64_t>{952, 128}));
  EXPECT_EQ(sizes["categorical"], (std::vector<std::int64_t>{128, 13}));
  bool gathers = false;
  for (const hlo::Instruction& instruction : entry.instructions) {
    gathers |= instruction.opcode == hlo::Opcode::gather &&
               instruction.shape.dimensions == std::vector<std::int64_t>{1664, 128};
  }
  EXPECT_TRUE(gathers);
}

}  // namespace
}  // namespace podsim::workloads::models::recommenders
