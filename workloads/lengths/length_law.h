// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::workloads::lengths {

/// How long samples are, in tokens: 1 to most().
struct LengthLaw {
  std::vector<double> shares;  ///< of the samples with 1, 2, ... tokens; they add up to 1
  double left_out = 0;         ///< share of all samples that are longer than most(), and are not trained on

  std::int64_t most() const { return std::int64_t(shares.size()); }
  double mean() const;
};

/// A log-normal law with this mean and standard deviation (both above 0, or sd 0: all samples have the mean's length),
/// which lengths of sentences follow (Williams 1940): a length has the share of the law that rounds to it. The mean and
/// deviation are those before samples longer than `most` are left out. InputError if hardly any sample is left.
LengthLaw log_normal_lengths(double mean, double sd, std::int64_t most);

/// The lengths of a CSV file with the columns length and count, in any order. InputError, with its location, for a
/// field that is not a number above zero, and if no sample is left.
LengthLaw counted_lengths(const std::string& file, std::string_view text, std::int64_t most);

}  // namespace podsim::workloads::lengths
