// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/device_order.h"

#include <algorithm>
#include <set>
#include <utility>

namespace podsim::hlo::spmd::mesh {
namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

Digits digits_of_iota(const hlo::Sharding& sharding) {
  std::vector<Digit> dimensions;
  std::int64_t stride = product(sharding.iota);
  for (const std::int64_t size : sharding.iota) dimensions.push_back({size, stride /= size});
  if (sharding.permutation.empty()) return dimensions;
  Digits digits;
  for (const int dimension : sharding.permutation) digits.push_back(dimensions[std::size_t(dimension)]);
  return digits;
}

/// The digits of an explicit list, found from the fastest to the slowest. Each digit extends as long as the entries at
/// multiples of `period` grow in equal steps. nullopt if the list is not such an arrangement.
std::optional<Digits> digits_of_list(const std::vector<std::int64_t>& devices) {
  const std::int64_t count = std::int64_t(devices.size());
  Digits digits;
  std::int64_t period = 1;
  while (period < count) {
    const std::int64_t stride = devices[std::size_t(period)];
    if (stride < 1 || stride >= count) return std::nullopt;
    std::int64_t size = 2;
    while (size * period < count && devices[std::size_t(size * period)] == size * stride) ++size;
    if (count % (size * period) != 0) return std::nullopt;
    digits.insert(digits.begin(), {size, stride});
    period *= size;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t device = 0, rest = i;
    for (std::size_t d = digits.size(); d-- > 0; rest /= digits[d].size) {
      device += rest % digits[d].size * digits[d].stride;
    }
    if (devices[std::size_t(i)] != device) return std::nullopt;
  }
  return digits;
}

/// True if the digits produce every device exactly once: in ascending stride, each stride is the product of the sizes
/// of the digits before it.
bool covers(Digits digits) {
  std::ranges::sort(digits, {}, &Digit::stride);
  std::int64_t next = 1;
  for (const Digit& digit : digits) {
    if (digit.size == 1) continue;
    if (digit.stride != next) return false;
    next *= digit.size;
  }
  return true;
}

/// Sorts the devices that hold the same shard, since their order has no meaning.
std::vector<std::int64_t> sorted_within_parts(std::vector<std::int64_t> devices, std::int64_t copies) {
  for (auto part = devices.begin(); part != devices.end(); part += copies) std::sort(part, part + copies);
  return devices;
}

/// Removes digits with `count` positions in all from the front of `digits`, splitting a digit if the border falls
/// inside it; nullopt if it cannot be split there.
std::optional<Digits> take(Digits& digits, std::int64_t count) {
  Digits taken;
  while (count > 1) {
    if (digits.empty()) return std::nullopt;
    Digit& first = digits.front();
    if (count % first.size == 0) {
      count /= first.size;
      taken.push_back(first);
      digits.erase(digits.begin());
    } else if (first.size % count == 0) {
      first.size /= count;
      taken.push_back({count, first.stride * first.size});
      count = 1;
    } else {
      return std::nullopt;
    }
  }
  return taken;
}

}  // namespace

Digits joined(const Digits& digits) {
  Digits result;
  for (const Digit& digit : digits) {
    if (digit.size == 1) continue;
    if (!result.empty() && result.back().stride == digit.size * digit.stride) {
      result.back() = {result.back().size * digit.size, digit.stride};
    } else {
      result.push_back(digit);
    }
  }
  return result;
}

std::optional<TileDigits> tile_digits(const hlo::Sharding& sharding) {
  const std::int64_t count = product(sharding.tiles);
  const auto rank = std::size_t(sharding.rank());
  std::int64_t copies = 1;
  for (std::size_t d = rank; d < sharding.tiles.size(); ++d) copies *= sharding.tiles[d];
  std::optional<Digits> digits;
  if (!sharding.iota.empty()) {
    if (product(sharding.iota) == count) digits = digits_of_iota(sharding);
  } else if (std::int64_t(sharding.devices.size()) == count) {
    digits = digits_of_list(sorted_within_parts(sharding.devices, copies));
  }
  if (!digits || !covers(*digits)) return std::nullopt;
  Digits rest = joined(*digits);
  TileDigits result;
  for (std::size_t d = 0; d < rank; ++d) {
    std::optional<Digits> taken = take(rest, sharding.tiles[d]);
    if (!taken) return std::nullopt;
    result.dimensions.push_back(joined(*taken));
  }
  std::ranges::sort(rest, std::ranges::greater(), &Digit::stride);
  result.rest = joined(rest);
  return result;
}

hlo::Sharding without_subgroups(const hlo::Sharding& sharding) {
  hlo::Sharding result = sharding;
  result.subgroups.clear();
  return result;
}

std::vector<std::int64_t> grid(const TileDigits& digits) {
  std::set<std::int64_t, std::greater<>> borders{1};
  const auto add = [&borders](const Digits& part) {
    for (const Digit& digit : part) borders.insert({digit.stride, digit.stride * digit.size});
  };
  for (const Digits& dimension : digits.dimensions) add(dimension);
  add(digits.rest);
  std::vector<std::int64_t> sizes;
  for (auto low = std::next(borders.begin()); low != borders.end(); ++low) sizes.push_back(*std::prev(low) / *low);
  return sizes;
}

}  // namespace podsim::hlo::spmd::mesh
