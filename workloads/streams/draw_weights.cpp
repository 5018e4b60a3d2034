// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/draw_weights.h"

#include <algorithm>
#include <cmath>

namespace podsim::workloads::streams {
namespace {

/// Ranks that stand for their neighbours.
struct Sampled {
  std::vector<double> ranks, numbers, counts, values;  ///< `numbers`: of rows that a rank stands for
};

Sampled sampled(const PopularityLaw& law) {
  constexpr double steps_per_octave = 8;
  Sampled result;
  double begin = 0.5;
  const double end = double(law.rows) + 0.5;
  while (begin < end) {
    const double next = std::min(end, std::max(begin + 1, begin * std::exp2(1 / steps_per_octave)));
    result.ranks.push_back((begin + next) / 2);
    result.numbers.push_back(next - begin);
    result.counts.push_back(law.count(result.ranks.back()));
    begin = next;
  }
  return result;
}

/// The x with sum of n_i (1 - exp(-x v_i)) = count, by Newton's method from below; the sum is concave in x.
double intensity(double count, const Sampled& others) {
  double x = 0;
  for (int step = 0; step < 60; ++step) {
    double sum = 0, slope = 0;
    for (std::size_t i = 0; i < others.values.size(); ++i) {
      const double none = std::exp(-x * others.values[i]);
      sum += others.numbers[i] * (1 - none);
      slope += others.numbers[i] * others.values[i] * none;
    }
    const double change = (count - sum) / slope;
    x += change;
    if (std::abs(change) < 1e-9 * x) break;
  }
  return x;
}

void solve(Sampled& side, const Sampled& others) {
  for (std::size_t i = 0; i < side.values.size(); ++i) side.values[i] = intensity(side.counts[i], others);
}

}  // namespace

std::vector<double> draw_weights(const PopularityLaw& users, const PopularityLaw& items) {
  Sampled user_side = sampled(users), item_side = sampled(items);
  double total = 0;
  for (std::size_t i = 0; i < item_side.ranks.size(); ++i) total += item_side.numbers[i] * item_side.counts[i];
  for (double count : item_side.counts) item_side.values.push_back(count / total);
  user_side.values.resize(user_side.ranks.size());
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    solve(user_side, item_side);
    solve(item_side, user_side);
  }
  std::vector<double> weights;
  std::size_t i = 0;
  for (std::int64_t rank = 1; rank <= items.rows; ++rank) {
    while (i + 2 < item_side.ranks.size() && item_side.ranks[i + 1] < double(rank)) ++i;
    const std::size_t next = std::min(i + 1, item_side.ranks.size() - 1);
    const double span = std::log(item_side.ranks[next] / item_side.ranks[i]);
    const double part = span > 0 ? std::log(double(rank) / item_side.ranks[i]) / span : 0;
    weights.push_back(item_side.values[i] * std::pow(item_side.values[next] / item_side.values[i], part));
  }
  return weights;
}

}  // namespace podsim::workloads::streams
