// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/quant/quantisation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace podsim::hlo::stablehlo::quant {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

bool read_whole(std::string_view text, std::int64_t& number) {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// Text up to a character, which is removed with it from `rest`; all of `rest` if it has none.
std::string_view take_to(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  const std::string_view taken = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return trimmed(taken);
}

/// "0.1:3" or "0.1"; scales are positive.
bool add_scale(std::string_view text, Quantisation& type) {
  const std::string scale(take_to(text, ':'));
  std::int64_t zero = 0;
  if (!trimmed(text).empty() && !read_whole(text, zero)) return false;
  char* end = nullptr;
  const double value = std::strtod(scale.c_str(), &end);
  if (scale.empty() || *end != '\0' || !(value > 0) || !std::isfinite(value)) return false;
  type.scales.push_back(scale);
  type.zero_points.push_back(zero);
  return true;
}

/// "<-127:127>" behind the storage type.
bool read_bounds(std::string_view text, Quantisation& type) {
  std::int64_t least = 0, most = 0;
  if (!text.ends_with('>')) return false;
  text.remove_suffix(1);
  if (!read_whole(take_to(text, ':'), least) || !read_whole(text, most) || least >= most) return false;
  type.least = least;
  type.most = most;
  return true;
}

/// The integers of a storage type of at most 32 bits: "i8", "ui4" or "u4".
std::optional<std::pair<std::int64_t, std::int64_t>> range_of(std::string_view storage) {
  std::int64_t bits = 0;
  const bool is_signed = storage.starts_with('i');
  if (!is_signed && !storage.starts_with('u')) return std::nullopt;
  if (!read_whole(storage.substr(storage.starts_with("ui") ? 2 : 1), bits) || bits < 1 || bits > 32)
    return std::nullopt;
  const std::int64_t count = std::int64_t{1} << bits;
  return is_signed ? std::pair(-count / 2, count / 2 - 1) : std::pair(std::int64_t{0}, count - 1);
}

/// Whether bounds and zero points are integers of the storage type, and what they stand for are real numbers.
bool is_within_storage(const Quantisation& type) {
  const auto range = range_of(type.storage);
  if (!range || (!type.expressed.starts_with('f') && !type.expressed.starts_with("bf"))) return false;
  const auto has = [&](std::int64_t number) { return number >= range->first && number <= range->second; };
  return std::ranges::all_of(type.zero_points, has) && has(type.least.value_or(0)) && has(type.most.value_or(0));
}

std::optional<Quantisation> read_form(std::string_view text) {
  Quantisation type;
  std::string_view head = take_to(text, ','), scales = trimmed(text);
  const std::size_t bounds = head.find('<');
  if (bounds != std::string_view::npos) {
    const std::size_t end = head.find('>', bounds);
    if (end == std::string_view::npos || !read_bounds(head.substr(bounds + 1, end - bounds), type)) return std::nullopt;
    type.storage = trimmed(head.substr(0, bounds));
    head.remove_prefix(end + 1);
    if (!take_to(head, ':').empty()) return std::nullopt;
  } else {
    type.storage = take_to(head, ':');
  }
  type.expressed = take_to(head, ':');
  if (!head.empty()) {
    std::int64_t axis = 0;
    if (!read_whole(head, axis) || axis < 0) return std::nullopt;
    type.axis = int(axis);
  }
  const bool is_list = scales.starts_with('{') && scales.ends_with('}');
  if (type.storage.empty() || type.expressed.empty() || is_list != (type.axis >= 0)) return std::nullopt;
  if (!is_list) return add_scale(scales, type) ? std::optional(type) : std::nullopt;
  scales = scales.substr(1, scales.size() - 2);
  while (!scales.empty()) {
    if (!add_scale(take_to(scales, ','), type)) return std::nullopt;
  }
  return type.scales.empty() ? std::nullopt : std::optional(type);
}

}  // namespace

std::optional<Quantisation> read_quantisation(std::string_view text) {
  std::optional<Quantisation> type = read_form(text);
  return type && is_within_storage(*type) ? type : std::nullopt;
}

}  // namespace podsim::hlo::stablehlo::quant
