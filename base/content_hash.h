// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/units.h"

namespace podsim::base {

/// A key of 128 bits for contents: the first half of their SHA-256.
struct ContentKey {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const ContentKey&) const = default;
};

/// Collects contents value by value and hashes them to a key. Numbers take eight bytes each, and texts and lists are
/// preceded by their length, so that sequences of values of the same types have the same bytes only if they are equal.
class ContentHash {
 public:
  template <class Number>
  requires std::integral<Number> || std::is_enum_v<Number> ContentHash& add(Number number) {
    return word(static_cast<std::uint64_t>(number));
  }
  ContentHash& add(double number) { return word(std::bit_cast<std::uint64_t>(number)); }
  template <class Tag>
  ContentHash& add(Count<Tag> count) {
    return add(count.value());
  }
  template <int TimeExponent, int DataExponent>
  ContentHash& add(Quantity<TimeExponent, DataExponent> quantity) {
    return add(quantity.si());
  }
  ContentHash& add(std::string_view text) {
    add(text.size());
    bytes_ += text;
    return *this;
  }
  ContentHash& add(const ContentKey& key) { return word(key.high).word(key.low); }
  /// Adds several values in order.
  template <class First, class Second, class... Rest>
  ContentHash& add(const First& first, const Second& second, const Rest&... rest) {
    add(first).add(second);
    (add(rest), ...);
    return *this;
  }

  ContentKey key() const;

 private:
  ContentHash& word(std::uint64_t value);

  std::string bytes_;
};

}  // namespace podsim::base
