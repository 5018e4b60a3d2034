// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/sharding.h"

/// The device list of a tiled sharding as a mixed-radix number system: the index in the list is written in digits, and
/// each digit moves the device number by a stride. [4,2]T(1,0) is a digit of size 2 and stride 1 before a digit of
/// size 4 and stride 2. The digits of a dimension determine the sub-axes of a mesh that it is split over.
namespace podsim::hlo::spmd::mesh {

struct Digit {
  std::int64_t size = 1, stride = 1;
  bool operator==(const Digit&) const = default;
};
/// Digits from the slowest to the fastest. None has size 1, and two neighbours that could be written as one are joined.
using Digits = std::vector<Digit>;

struct TileDigits {
  std::vector<Digits> dimensions;  ///< for each dimension of the value
  Digits rest;                     ///< of all subgroups, in descending stride: their order has no meaning
};

/// The digits of a tiled sharding; nullopt if its list is not such an arrangement of 0, 1, ..., or if the border of a
/// dimension falls inside a digit where it does not divide the digit.
std::optional<TileDigits> tile_digits(const hlo::Sharding& sharding);

/// The sharding of a value that has a dimension for each subgroup, so that the digits of a subgroup can be read.
hlo::Sharding without_subgroups(const hlo::Sharding& sharding);

/// The sizes, slowest first, of the smallest grid in which every digit is a run of whole dimensions. Mesh::refining
/// takes such lists.
std::vector<std::int64_t> grid(const TileDigits& digits);

/// `digits` without those of size 1 and with neighbours joined.
Digits joined(const Digits& digits);

}  // namespace podsim::hlo::spmd::mesh
