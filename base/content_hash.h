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

/// 128 bits that stand for contents: the first half of their SHA-256.
struct ContentKey {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const ContentKey&) const = default;
};

/// Contents, value by value, on their way to a key. Numbers are eight bytes each, texts and lists have their length in
/// front: values of the same types are the same bytes only if they are equal.
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
  /// Several values, one after the other.
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
