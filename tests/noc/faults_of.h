// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "noc/faults.h"

namespace podsim::noc {

inline Faults faults_of(const Topology& topology, std::initializer_list<std::string_view> texts) {
  std::vector<Fault> list;
  for (const std::string_view text : texts) list.push_back(parse_fault(text));
  return Faults(topology, list);
}

}  // namespace podsim::noc
