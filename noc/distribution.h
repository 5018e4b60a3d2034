// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// How a random amount from zero on is distributed, with one parameter, its scale s:
///
///   uniform       from 0 to s             mean s / 2
///   exponential   density e^(-x/s) / s    mean s
///   normal        |x|, x normal with mean 0 and standard deviation s    mean s sqrt(2 / pi)
namespace podsim::noc {

enum class Distribution : std::uint8_t { uniform, exponential, normal };

std::string_view to_string(Distribution distribution);
std::optional<Distribution> parse_distribution(std::string_view name);

/// The amount of scale 1 that a share of all is below; `share` is from 0 to less than 1.
double quantile(Distribution distribution, double share);

/// The mean of the largest of `draws` independent amounts of scale 1:
///
///   uniform       n / (n + 1)
///   exponential   1 + 1/2 + ... + 1/n
///   normal        the integral of 1 - erf(x / sqrt 2)^n over x from 0 on
double mean_of_largest(Distribution distribution, std::int64_t draws);

/// A random number from 0 to less than 1 that is a function of a seed and of what it is for, whatever else is drawn.
double drawn_share(std::uint64_t seed, std::span<const std::uint64_t> what);

}  // namespace podsim::noc
