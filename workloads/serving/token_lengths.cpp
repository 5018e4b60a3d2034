// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/token_lengths.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace podsim::workloads::serving {
namespace {

/// Percentiles 10, 25, 50, 75, 90, 95 and 99, and the longest.
TokenLengths through(std::array<double, 8> tokens) {
  constexpr std::array<double, 8> shares{0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 1};
  std::vector<TokenLengths::Point> points;
  for (std::size_t i = 0; i < tokens.size(); ++i) points.push_back({shares[i], tokens[i]});
  return TokenLengths(std::move(points));
}

}  // namespace

TokenLengths TokenLengths::constant(std::int64_t tokens) {
  return TokenLengths({{0, double(tokens)}, {1, double(tokens)}});
}

TokenLengths::TokenLengths(std::vector<Point> points) : points_(std::move(points)) {
  const Point first = points_[0], second = points_[1];
  if (first.share == 0) return;
  const double slope = std::log(second.tokens / first.tokens) / (second.share - first.share);
  const double shortest = first.tokens * std::exp(-slope * first.share);
  if (shortest < 1) {
    const double share = first.share - std::log(first.tokens) / slope;
    points_.insert(points_.begin(), {share, 1});
  }
  points_.insert(points_.begin(), {0, std::max(shortest, 1.0)});
}

std::int64_t TokenLengths::at(double share) const {
  auto end = std::ranges::lower_bound(points_, share, {}, &Point::share);
  if (end == points_.begin()) ++end;
  if (end == points_.end()) --end;
  const Point& a = *(end - 1);
  const Point& b = *end;
  const double part = std::clamp((share - a.share) / (b.share - a.share), 0.0, 1.0);
  return std::max<std::int64_t>(1, std::llround(a.tokens * std::pow(b.tokens / a.tokens, part)));
}

double TokenLengths::mean() const {
  double sum = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const Point& a = points_[i - 1];
    const Point& b = points_[i];
    // The integral of an exponential function over the shares.
    const double slope = std::log(b.tokens / a.tokens);
    sum += (b.share - a.share) * (slope == 0 ? a.tokens : (b.tokens - a.tokens) / slope);
  }
  return sum;
}

std::int64_t TokenLengths::longest() const { return std::llround(points_.back().tokens); }

std::span<const PublishedTrace> published_traces() {
  static const std::vector<PublishedTrace> traces{
      {"azure_code", "Azure/AzurePublicDataset@b469a11, 2023, code: one hour (Splitwise, ISCA 2024)",
       through({147, 578, 1469, 2744, 5188, 7303, 7436, 7437}), through({7, 9, 13, 24, 55, 90, 251, 1899}), 2048, 28,
       2.57, 13.2, 0},
      {"azure_conversation", "Azure/AzurePublicDataset@b469a11, 2023, conversation: one hour (Splitwise, ISCA 2024)",
       through({207, 396, 1020, 1189, 2734, 4083, 4142, 14'050}), through({54, 85, 129, 395, 424, 451, 601, 1000}),
       1155, 211, 5.53, 1.09, 0},
      {"mooncake_conversation", "kvcache-ai/Mooncake@3b5a594, conversation (FAST 2025)",
       through({964, 2306, 6909, 15'367, 27'367, 39'550, 85'400, 126'195}),
       through({24, 156, 350, 472, 597, 698, 1119, 2000}), 12'035, 343, 3.40, 0, 0.366},
      // Prompt and answer are at most 4096 tokens in that trace.
      {"arxiv", "microsoft/vidur@7d47513, arXiv summarisation, up to 4096 tokens",
       through({1242, 1986, 2730, 3370, 3702, 3813, 3933, 4096}), through({78, 115, 167, 242, 372, 736, 3271, 4096}),
       2588, 291, 0, 0, 0},
  };
  return traces;
}

}  // namespace podsim::workloads::serving
