// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace podsim::base::trace {

/// Text whose lines are written in place: a caller asks for space, writes, and says where it stopped.
class LineBuffer {
 public:
  /// Returns space for `size` more characters, until the next call.
  char* space(std::size_t size) {
    if (characters_.size() - used_ < size) characters_.resize(std::max(2 * characters_.size(), used_ + size));
    return characters_.data() + used_;
  }
  void end_at(const char* end) { used_ = std::size_t(end - characters_.data()); }

  std::string_view text() const { return {characters_.data(), used_}; }
  void clear() { used_ = 0; }

 private:
  std::vector<char> characters_;
  std::size_t used_ = 0;
};

}  // namespace podsim::base::trace
