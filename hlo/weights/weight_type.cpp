// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/weight_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::hlo::weights {
namespace {

struct TypeName {
  std::string_view name;
  ElementType type;
};

constexpr std::array names{TypeName{"bf16", ElementType::bf16}, TypeName{"int8", ElementType::s8},
                           TypeName{"int4", ElementType::s4}, TypeName{"fp8", ElementType::f8e4m3fn}};
constexpr std::string_view hint = "types are bf16, int8, int4 and fp8, with groups as in int4:group=128";

}  // namespace

WeightType parse_weight_type(const std::string& text) {
  const std::string_view whole = text;
  const std::size_t colon = std::min(whole.find(':'), whole.size());
  const auto known = std::ranges::find(names, whole.substr(0, colon), &TypeName::name);
  if (known == names.end()) {
    throw base::InputError(fmt::format("'{}' is no type of weights", whole.substr(0, colon)), std::string(hint));
  }
  WeightType type{.type = known->type};
  if (colon == whole.size()) return type;
  if (!type.is_scaled()) throw base::InputError("weights of bf16 have no scales, so no groups", std::string(hint));
  constexpr std::string_view word = "group=";
  const std::string_view group = whole.substr(colon + 1);
  const std::string_view number = group.starts_with(word) ? group.substr(word.size()) : std::string_view();
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), type.group);
  if (number.empty() || error != std::errc() || end != number.data() + number.size() || type.group < 1) {
    throw base::InputError(fmt::format("'{}' is no group of weights", group), std::string(hint));
  }
  return type;
}

std::string to_string(const WeightType& type) {
  const auto known = std::ranges::find(names, type.type, &TypeName::type);
  return type.group == 0 ? std::string(known->name) : fmt::format("{}:group={}", known->name, type.group);
}

double largest_of(ElementType type) {
  switch (type) {
    case ElementType::s8:
      return 127;
    case ElementType::s4:
      return 7;
    default:
      return 448;
  }
}

}  // namespace podsim::hlo::weights
