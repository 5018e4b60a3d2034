// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace podsim::base {

/// The contents of a value change dump, read by a parser that shares no code with the writer.
struct VcdContent {
  struct Signal {
    std::string type, size;
    std::vector<std::pair<std::int64_t, std::string>> changes;  ///< time and value as written
  };
  std::string timescale;
  std::map<std::string, Signal> signals;  ///< by full name, with the bit range if one is declared
  std::int64_t end = 0;
};

/// std::runtime_error for a text that is not a well-formed dump, such as a change of an undeclared signal.
VcdContent read_vcd(const std::string& text);

}  // namespace podsim::base
