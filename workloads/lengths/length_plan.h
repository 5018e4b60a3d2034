// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/lengths/length_law.h"
#include "workloads/lengths/length_steps.h"

namespace podsim::workloads::lengths {

/// What --lengths says: a law of lengths, and how samples of them become steps.
struct LengthPlan {
  double mean = 0, sd = 0;            ///< of a log-normal law, in tokens, unless there are counts
  std::string counts;                 ///< file with counts of lengths; empty: the log-normal law
  std::optional<std::int64_t> most;   ///< longer samples are left out; std::nullopt: than the last bucket's end
  std::vector<LengthBucket> buckets;  ///< their ends ascending; empty: one, as long as the model's arrays
  std::int64_t steps = 1000;          ///< to draw
  std::uint64_t seed = 1;             ///< of what they are drawn by
};

/// Parses "mean=26 sd=13 most=48 buckets=9:18,19:24,29:30,39:42,48 steps=1000 seed=1", or "counts=FILE ..." in place of
/// mean and sd. A bucket is END, or END:ARRAY if its arrays are longer. InputError that points into the text.
LengthPlan parse_lengths(std::string_view text);

/// The law of a plan for samples of at most `longest` tokens. Reads the file of counts. InputError if `most` is above
/// that.
LengthLaw law_of(const LengthPlan& plan, std::int64_t longest);

/// "log-normal, mean 26, sd 13"
std::string law_text(const LengthPlan& plan);

}  // namespace podsim::workloads::lengths
