// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/length_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/csv_rows.h"
#include "base/diagnostic.h"

namespace podsim::workloads::lengths {
namespace {

/// Below this share left the law says nothing about what is left.
constexpr double min_left = 1e-6;

/// The law whose samples of 1, 2, ... tokens have these weights, of samples that all together have `all`.
LengthLaw cut_law(std::vector<double> weights, double all) {
  const double kept = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (kept < min_left * all || all <= 0) {
    throw base::InputError(fmt::format("the samples are longer than {} tokens, and none is left", weights.size()),
                           "a longer model.length or model.sequence, or longer buckets");
  }
  for (double& weight : weights) weight /= kept;
  return {std::move(weights), std::max(0.0, 1 - kept / all)};
}

}  // namespace

double LengthLaw::mean() const {
  double mean = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) mean += double(i + 1) * shares[i];
  return mean;
}

LengthLaw log_normal_lengths(double mean, double sd, std::int64_t most) {
  const double variance = std::log1p(sd * sd / (mean * mean));  // of the logarithm
  const double middle = std::log(mean) - variance / 2;
  // Share of the samples below a length.
  const auto below = [&](double length) {
    if (length < 1) return 0.0;  // samples that round to no token have one
    const double above = std::log(length) - middle;
    if (sd == 0) return above > 0 ? 1.0 : 0.0;
    return std::erfc(-above / std::sqrt(2 * variance)) / 2;
  };
  std::vector<double> weights;
  for (std::int64_t length = 1; length <= most; ++length) {
    weights.push_back(below(double(length) + 0.5) - below(double(length) - 0.5));
  }
  return cut_law(std::move(weights), 1);
}

LengthLaw counted_lengths(const std::string& file, std::string_view text, std::int64_t most) {
  std::vector<double> weights(std::size_t(most), 0.0);
  double all = 0;
  base::read_csv_rows(file, text, "length", [&](const base::CsvRow& row) {
    const double length = row.positive("length"), count = row.positive("count");
    if (length != std::floor(length)) throw base::InputError(fmt::format("{} is not a whole number of tokens", length));
    all += count;
    if (length <= double(most)) weights[std::size_t(length) - 1] += count;
  });
  return cut_law(std::move(weights), all);
}

}  // namespace podsim::workloads::lengths
