// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace podsim::hw::isa::pasm {

/// A program's strings by number; string 0 is empty.
class StringTable {
 public:
  StringTable() { append(""); }
  /// Appends a string, even if there is an equal one.
  void append(const std::string& text) {
    first_.emplace(text, std::uint32_t(strings_.size()));
    strings_.push_back(text);
  }
  /// Returns the number of the first string equal to `text`. Appends it if there is none.
  std::uint32_t number_of(const std::string& text) {
    if (!first_.contains(text)) append(text);
    return first_.at(text);
  }
  std::vector<std::string> take() && { return std::move(strings_); }

 private:
  std::vector<std::string> strings_;
  std::map<std::string, std::uint32_t> first_;
};

}  // namespace podsim::hw::isa::pasm
