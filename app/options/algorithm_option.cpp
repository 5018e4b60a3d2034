// SPDX-License-Identifier: Apache-2.0
#include "app/options/algorithm_option.h"

#include "sw/collectives/custom_algorithm.h"

namespace podsim::app::options {

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names{"auto"};
  for (const sw::collectives::Algorithm algorithm : sw::collectives::algorithms())
    names.emplace_back(sw::collectives::to_string(algorithm));
  return names;
}

std::string registered_algorithms() {
  std::string text;
  for (const sw::collectives::Algorithm algorithm : sw::collectives::algorithms()) {
    if (const auto own = sw::collectives::custom(algorithm))
      text += (text.empty() ? "\nregistered: " : ", ") + std::string(own->name());
  }
  return text;
}

}  // namespace podsim::app::options
