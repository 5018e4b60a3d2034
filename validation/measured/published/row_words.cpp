// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/row_words.h"

#include <charconv>

namespace podsim::validation::measured::published {

std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  return number;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  return leading_number(text.substr(at + word.size()));
}

std::optional<std::int64_t> number_before(std::string_view text, std::string_view word) {
  const std::size_t end = text.find(word);
  if (end == std::string_view::npos) return {};
  const std::size_t before = text.substr(0, end).find_last_not_of("0123456789");
  return leading_number(text.substr(before == std::string_view::npos ? 0 : before + 1));
}

}  // namespace podsim::validation::measured::published
