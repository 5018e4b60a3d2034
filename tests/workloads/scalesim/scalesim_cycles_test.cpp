// SPDX-License-Identifier: Apache-2.0
#include "workloads/scalesim/scalesim_cycles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/csv_reader.h"

namespace podsim::workloads::scalesim {
namespace {

using Matrix = std::vector<std::vector<long>>;

Matrix zeros(std::int64_t rows, std::int64_t columns) {
  return Matrix(std::size_t(rows), std::vector<long>(std::size_t(columns)));
}

Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  Matrix matrix = zeros(rows, columns);
  for (std::vector<long>& row : matrix) {
    for (long& value : row) value = long(random() % 19) - 9;
  }
  return matrix;
}

long entry(const Matrix& matrix, std::int64_t row, std::int64_t column) {
  const bool inside = row < std::int64_t(matrix.size()) && column < std::int64_t(matrix[0].size());
  return inside ? matrix[std::size_t(row)][std::size_t(column)] : 0;
}

/// A weight-stationary array, register by register. Weights are pushed in from above, one row a cycle; left operands
/// enter at the left edge, row r of the array one cycle after row r - 1, and move right; partial sums move down.
class ArrayOfElements {
 public:
  explicit ArrayOfElements(const SystolicArray& array)
      : rows_(std::size_t(array.rows)),
        columns_(std::size_t(array.columns)),
        weights_(zeros(array.rows, array.columns)),
        inputs_(zeros(array.rows, array.columns)),
        sums_(zeros(array.rows, array.columns)) {}

  /// Adds lhs[:, k0...] times rhs[k0..., n0...] to `result` and counts the cycles until the last sum has come out.
  std::int64_t fold(const Matrix& lhs, const Matrix& rhs, std::int64_t k0, std::int64_t n0, Matrix& result) {
    for (std::size_t r = rows_; r-- > 0;) push_weights(rhs, k0 + std::int64_t(r), n0);
    std::int64_t cycles = std::int64_t(rows_);
    std::size_t left = lhs.size() * columns_;
    for (std::int64_t time = 0; left > 0; ++time, ++cycles) {
      step(lhs, k0, time);
      for (std::size_t c = 0; c < columns_; ++c) {
        const std::int64_t row = time - std::int64_t(rows_ - 1 + c);  // whose sum leaves this column now
        if (row < 0 || row >= std::int64_t(lhs.size())) continue;
        --left;
        if (n0 + std::int64_t(c) < std::int64_t(result[0].size())) {
          result[std::size_t(row)][std::size_t(n0) + c] += sums_[rows_ - 1][c];
        }
      }
    }
    return cycles;
  }

 private:
  void push_weights(const Matrix& rhs, std::int64_t k, std::int64_t n0) {
    weights_.pop_back();
    weights_.insert(weights_.begin(), std::vector<long>(columns_));
    for (std::size_t c = 0; c < columns_; ++c) weights_[0][c] = entry(rhs, k, n0 + std::int64_t(c));
  }

  void step(const Matrix& lhs, std::int64_t k0, std::int64_t time) {
    for (std::size_t r = rows_; r-- > 0;) {
      for (std::size_t c = columns_; c-- > 0;) {
        const std::int64_t row = time - std::int64_t(r);
        const long entering = row >= 0 ? entry(lhs, row, k0 + std::int64_t(r)) : 0;
        inputs_[r][c] = c > 0 ? inputs_[r][c - 1] : entering;
        sums_[r][c] = (r > 0 ? sums_[r - 1][c] : 0) + weights_[r][c] * inputs_[r][c];
      }
    }
  }

  std::size_t rows_, columns_;
  Matrix weights_, inputs_, sums_;
};

Matrix plain_product(const Matrix& lhs, const Matrix& rhs) {
  Matrix result = zeros(std::int64_t(lhs.size()), std::int64_t(rhs[0].size()));
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    for (std::size_t k = 0; k < rhs.size(); ++k) {
      for (std::size_t j = 0; j < rhs[0].size(); ++j) result[i][j] += lhs[i][k] * rhs[k][j];
    }
  }
  return result;
}

// The simulated array computes the product, so the count is that of real work; the last cycle has the number cycles -
// 1.
TEST(ScaleSimCycles, AreTheNumberOfTheLastCycleOfAnArraySteppedElementByElement) {
  std::mt19937 random(17);
  const std::vector<SystolicArray> arrays = {{1, 1}, {2, 3}, {4, 4}, {5, 2}, {8, 16}};
  const std::vector<MatrixProduct> products = {{1, 1, 1}, {7, 3, 2}, {3, 16, 8}, {20, 17, 9}, {1, 40, 33}, {13, 5, 31}};
  for (const SystolicArray& array : arrays) {
    for (const MatrixProduct& p : products) {
      SCOPED_TRACE(::testing::Message() << array.rows << "x" << array.columns << " m=" << p.m << " n=" << p.n
                                        << " k=" << p.k);
      const Matrix lhs = random_matrix(p.m, p.k, random), rhs = random_matrix(p.k, p.n, random);
      Matrix result = zeros(p.m, p.n);
      std::int64_t cycles = 0, folds = 0;
      for (std::int64_t k = 0; k < p.k; k += array.rows) {
        for (std::int64_t n = 0; n < p.n; n += array.columns, ++folds) {
          cycles += ArrayOfElements(array).fold(lhs, rhs, k, n, result);
        }
      }
      ASSERT_EQ(result, plain_product(lhs, rhs));
      EXPECT_EQ(weight_folds(array, p), folds);
      EXPECT_EQ(scalesim_cycles(array, p).value(), cycles - 1);
    }
  }
}

// SCALE-Sim v3's results for ResNet-50. The file is a topology with the results next to the layers.
TEST(ScaleSimCycles, EqualThoseOfScaleSimForAllLayersOfResNet50) {
  const std::filesystem::path file =
      std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/scalesim_resnet50.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no ../shared/measurements";
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const ScaleSimTopology topology = read_scalesim_topology("resnet50.csv", text);
  ASSERT_EQ(topology.layers.size(), 54U);

  base::CsvReader records("resnet50.csv", text);
  std::vector<base::CsvField> head, fields;
  records.next(head);
  const SystolicArray array{128, 128};
  for (const ScaleSimLayer& layer : topology.layers) {
    ASSERT_TRUE(records.next(fields));
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < head.size(); ++i) row[head[i].value] = fields[i].value;
    SCOPED_TRACE(row["layer"]);
    EXPECT_EQ(layer.name, row["layer"]);
    EXPECT_EQ(std::to_string(layer.product.m), row["M"]);
    EXPECT_EQ(std::to_string(layer.product.n), row["N"]);
    EXPECT_EQ(std::to_string(layer.product.k), row["K"]);
    EXPECT_EQ(std::to_string(layer.product.macs()), row["macs"]);
    EXPECT_EQ(std::to_string(weight_folds(array, layer.product)), row["folds"]);
    const std::int64_t cycles = scalesim_cycles(array, layer.product).value();
    EXPECT_EQ(std::to_string(cycles), row["calc_total_cycles"]);
    const double utilization = double(layer.product.macs()) / double(cycles * array.elements());
    EXPECT_NEAR(100 * utilization, std::stod(row["overall_util_pct"]), 0.5e-4 * 1.01);  // four decimals
  }
}

}  // namespace
}  // namespace podsim::workloads::scalesim
