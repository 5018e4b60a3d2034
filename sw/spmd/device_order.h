// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/graph/sharding.h"

/// The list of devices of a tiled sharding as a number system: the place in the list is written in digits of mixed
/// radix, and each digit moves the device by a stride. [4,2]T(1,0) is a digit of 2 with stride 1 before one of 4 with
/// stride 2. Which sub-axes of a mesh cut a dimension follows from its digits.
namespace podsim::sw {

struct Digit {
  std::int64_t size = 1, stride = 1;
  bool operator==(const Digit&) const = default;
};
/// From the slowest to the fastest, none of size 1, neighbours joined where their strides follow on each other.
using Digits = std::vector<Digit>;

struct TileDigits {
  std::vector<Digits> dimensions;  ///< of every dimension of the value
  Digits rest;                     ///< of all subgroups, whose order means nothing: from the largest stride
};

/// Nothing where the list is no such arrangement of 0, 1, ..., or where a dimension takes a part of a digit that does
/// not divide it. Of tiled shardings.
std::optional<TileDigits> tile_digits(const Sharding& sharding);

/// The sizes of the smallest grid on whose borders all the digits fall, from the slowest: what Mesh::refining takes.
std::vector<std::int64_t> grid(const TileDigits& digits);

/// `digits` with neighbours joined, and without those of size 1.
Digits joined(const Digits& digits);

}  // namespace podsim::sw
