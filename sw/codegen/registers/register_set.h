// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/codegen/registers/operation.h"

namespace podsim::sw::codegen::registers {

/// A set of virtual registers, with a bit for each Register::number().
class RegisterSet {
 public:
  bool contains(Register reg) const { return contains(reg.number()); }
  bool contains(int number) const {
    const auto word = std::size_t(number) / 64;
    return word < words_.size() && (words_[word] >> (number % 64) & 1) != 0;
  }
  void insert(Register reg) { insert(reg.number()); }
  void insert(int number) {
    const auto word = std::size_t(number) / 64;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= std::uint64_t(1) << (number % 64);
  }
  /// Adds all registers of `more`. Returns true if any of them was new.
  bool unite(const RegisterSet& more) {
    bool changed = false;
    words_.resize(std::max(words_.size(), more.words_.size()));
    for (std::size_t i = 0; i < more.words_.size(); ++i) {
      changed = changed || (more.words_[i] & ~words_[i]) != 0;
      words_[i] |= more.words_[i];
    }
    return changed;
  }
  void remove_all(const RegisterSet& others) {
    const std::size_t common = std::min(words_.size(), others.words_.size());
    for (std::size_t i = 0; i < common; ++i) words_[i] &= ~others.words_[i];
  }
  void keep_only(const RegisterSet& these) {
    words_.resize(std::min(words_.size(), these.words_.size()));
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= these.words_[i];
  }
  /// Calls `visit` with every number in ascending order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) visit(int(i * 64) + std::countr_zero(rest));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace podsim::sw::codegen::registers
