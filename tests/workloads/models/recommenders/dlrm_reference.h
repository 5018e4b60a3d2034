// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "hlo/literal.h"
#include "workloads/models/recommenders/dlrm.h"

/// DLRM's loss from its paper, in loops over numbers.
namespace podsim::workloads::models::recommenders {

using Numbers = std::vector<double>;
using Tensors = std::map<std::string, hlo::Literal>;

inline Numbers reference_layer(const Tensors& tensors, const std::string& scope, const Numbers& x, bool bends) {
  Numbers y = tensors.at(scope + "/bias").values;
  const Numbers& w = tensors.at(scope + "/kernel").values;
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (std::size_t i = 0; i < x.size(); ++i) y[j] += x[i] * w[i * y.size() + j];
    if (bends) y[j] = std::max(y[j], 0.0);
  }
  return y;
}

/// The model in loops over numbers. Vectors stand in the products in the given order, of which 0 is the result of the
/// bottom perceptron and i + 1 the row of table i; by default 0, 1, ....
inline double reference_loss(const DlrmOptions& o, const Tensors& tensors, const std::vector<std::size_t>& order = {}) {
  double total = 0;
  const std::size_t tables = o.rows.size(), width = std::size_t(o.bottom.back());
  for (std::int64_t sample = 0; sample < o.batch; ++sample) {
    const Numbers& features = tensors.at("dense").values;
    Numbers x(features.begin() + sample * o.dense_features, features.begin() + (sample + 1) * o.dense_features);
    for (std::size_t i = 0; i < o.bottom.size(); ++i)
      x = reference_layer(tensors, "bottom" + std::to_string(i), x, true);
    std::vector<Numbers> vectors{x};
    for (std::size_t i = 0; i < tables; ++i) {
      const auto place = std::size_t(tensors.at("categorical").values[std::size_t(sample) * tables + i]);
      const auto row = tensors.at("table" + std::to_string(i)).values.begin() + std::ptrdiff_t(place * width);
      vectors.emplace_back(row, row + std::ptrdiff_t(width));
    }
    Numbers top = x;
    for (std::size_t i = 0; i <= tables; ++i) {
      for (std::size_t j = 0; j <= tables; ++j) {
        const Numbers &a = vectors[order.empty() ? i : order[i]], &b = vectors[order.empty() ? j : order[j]];
        const double product = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
        top.push_back(j < i ? product : 0);
      }
    }
    for (std::size_t i = 0; i < o.top.size(); ++i) {
      top = reference_layer(tensors, "top" + std::to_string(i), top, i + 1 < o.top.size());
    }
    const double click = 1 / (1 + std::exp(-top[0])), label = tensors.at("labels").values[std::size_t(sample)];
    total -= label * std::log(click) + (1 - label) * std::log(1 - click);
  }
  return total / double(o.batch);
}

}  // namespace podsim::workloads::models::recommenders
