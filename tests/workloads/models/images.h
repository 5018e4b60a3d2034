// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

/// Layers of convolutional networks as loops over numbers, with which tests compare graphs.
namespace podsim::workloads::testing {

/// Images [batch, rows, rows, channels] as numbers.
struct Images {
  std::int64_t batch = 0, rows = 0, channels = 0;
  std::vector<double> values;

  Images(std::int64_t b, std::int64_t r, std::int64_t c)
      : batch(b), rows(r), channels(c), values(std::size_t(b * r * r * c)) {}
  double& at(std::int64_t b, std::int64_t y, std::int64_t x, std::int64_t c) {
    return values[std::size_t(((b * rows + y) * rows + x) * channels + c)];
  }
  double at(std::int64_t b, std::int64_t y, std::int64_t x, std::int64_t c) const {
    return values[std::size_t(((b * rows + y) * rows + x) * channels + c)];
  }
  bool has(std::int64_t y, std::int64_t x) const { return y >= 0 && x >= 0 && y < rows && x < rows; }
};

/// Weights [size, size, channels, filters]; padded by (size - 1) / 2.
inline Images convolved(const Images& x, const std::vector<double>& w, std::int64_t filters, std::int64_t size,
                        std::int64_t stride) {
  Images y(x.batch, (x.rows + stride - 1) / stride, filters);
  const std::int64_t low = (size - 1) / 2;
  for (std::int64_t b = 0; b < x.batch; ++b) {
    for (std::int64_t place = 0; place < y.rows * y.rows; ++place) {
      for (std::int64_t tap = 0; tap < size * size; ++tap) {
        const std::int64_t row = place / y.rows * stride + tap / size - low;
        const std::int64_t column = place % y.rows * stride + tap % size - low;
        if (!x.has(row, column)) continue;
        for (std::int64_t c = 0; c < x.channels; ++c) {
          for (std::int64_t f = 0; f < filters; ++f) {
            y.at(b, place / y.rows, place % y.rows, f) +=
                x.at(b, row, column, c) * w[std::size_t((tap * x.channels + c) * filters + f)];
          }
        }
      }
    }
  }
  return y;
}

/// Cross-entropy of a dense layer over the means of the maps, mean over the batch.
inline double mean_cross_entropy(const Images& x, const std::vector<double>& kernel, const std::vector<double>& bias,
                                 const std::vector<double>& labels) {
  double sum = 0;
  for (std::int64_t b = 0; b < x.batch; ++b) {
    std::vector<double> logits = bias;
    for (std::int64_t c = 0; c < x.channels; ++c) {
      double mean = 0;
      for (std::int64_t place = 0; place < x.rows * x.rows; ++place) {
        mean += x.at(b, place / x.rows, place % x.rows, c);
      }
      mean /= double(x.rows * x.rows);
      for (std::size_t k = 0; k < logits.size(); ++k) logits[k] += mean * kernel[std::size_t(c) * logits.size() + k];
    }
    double powers = 0;
    for (const double logit : logits) powers += std::exp(logit);
    sum += std::log(powers) - logits[std::size_t(labels[std::size_t(b)])];
  }
  return sum / double(x.batch);
}

}  // namespace podsim::workloads::testing
