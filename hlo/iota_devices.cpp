// SPDX-License-Identifier: Apache-2.0
#include "hlo/iota_devices.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace podsim::hlo {

std::vector<std::int64_t> expand_iota(std::span<const std::int64_t> sizes, std::span<const int> permutation) {
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  std::vector<std::int64_t> devices{0};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t dimension = permutation.empty() ? i : std::size_t(permutation[i]);
    std::vector<std::int64_t> longer;
    longer.reserve(devices.size() * std::size_t(sizes[dimension]));
    for (const std::int64_t device : devices) {
      for (std::int64_t k = 0; k < sizes[dimension]; ++k) longer.push_back(device + k * strides[dimension]);
    }
    devices = std::move(longer);
  }
  return devices;
}

std::string iota_text(std::span<const std::int64_t> sizes, std::span<const int> permutation) {
  std::string text = fmt::format("[{}]", fmt::join(sizes, ","));
  if (!permutation.empty()) text += fmt::format("T({})", fmt::join(permutation, ","));
  return text;
}

}  // namespace podsim::hlo
