// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/custom/custom_part.h"

#include <string>
#include <utility>

#include "base/parameters/section.h"

namespace podsim::hw::parts::custom {
namespace {

base::parameters::Parameter<Parameters> parameter(const CustomKey& key, std::size_t index) {
  const auto member = [index](Parameters& parameters) -> std::int64_t& {
    if (parameters.values.size() <= index) parameters.values.resize(index + 1);
    return parameters.values[index];
  };
  return {key.name, member, base::parameters::kind::whole(key.least, key.most), {base::parameters::KeyLevel::ops}};
}

}  // namespace

const base::parameters::Section<Parameters>& Parameters::section() {
  static const base::parameters::Section<Parameters> keys = [] {
    std::vector<base::parameters::Parameter<Parameters>> parameters;
    for (const CustomKey& key : custom_unit()->keys()) parameters.push_back(parameter(key, parameters.size()));
    return base::parameters::Section<Parameters>(std::string(custom_unit()->name()), std::move(parameters));
  }();
  return keys;
}

}  // namespace podsim::hw::parts::custom
