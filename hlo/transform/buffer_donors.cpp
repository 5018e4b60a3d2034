// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/buffer_donors.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace podsim::hlo::transform {

std::vector<std::int64_t> buffer_donors(const Module& module) {
  std::vector<std::int64_t> numbers;
  const std::string& text = module.buffer_donors;
  for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    if (error == std::errc()) numbers.push_back(number);
  }
  return numbers;
}

std::vector<Donation> with_buffer_donors(const Module& module) {
  std::vector<Donation> donations = module.donations;
  std::vector<std::int64_t> donors = buffer_donors(module);
  const Computation& entry = module.entry_computation();
  std::erase_if(donors, [&](std::int64_t donor) {
    const bool exists = donor >= 0 && donor < std::int64_t(entry.parameters.size());
    return !exists || entry[entry.parameters[std::size_t(donor)]].shape.is_tuple() ||
           std::ranges::count(donations, donor, &Donation::parameter) > 0;
  });
  const Shape& result = entry[entry.root].shape;
  const std::int64_t outputs = result.is_tuple() ? std::int64_t(result.tuple_shapes.size()) : 1;
  for (std::int64_t output = 0; output < outputs && !donors.empty(); ++output) {
    if (std::ranges::count(module.donations, output, &Donation::output) > 0) continue;
    const Shape& shape = result.is_tuple() ? result.tuple_shapes[std::size_t(output)] : result;
    const auto donor = std::ranges::find_if(donors, [&](std::int64_t number) {
      return entry[entry.parameters[std::size_t(number)]].shape.compatible(shape);
    });
    if (donor == donors.end()) continue;
    donations.push_back({output, *donor, 0});
    donors.erase(donor);
  }
  return donations;
}

}  // namespace podsim::hlo::transform
