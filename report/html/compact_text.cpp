// SPDX-License-Identifier: Apache-2.0
#include "report/html/compact_text.h"

namespace podsim::report::html {
namespace {

constexpr std::size_t max_digits = 15;  // of integers that JavaScript represents exactly

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void CompactTexts::add(std::string_view text) {
  std::string form;
  bool in_name = numbers_ == Numbers::all;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (numbers_ == Numbers::names_only) {
      if (c == '%') in_name = true;
      if (c == ' ' || c == ',' || c == ')') in_name = false;
    }
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::size_t digits = end - at;
    if (digits == 0) {
      form += c == hole ? ' ' : c;
      ++at;
      continue;
    }
    // A number with leading zeros would be restored without them.
    if (in_name && digits <= max_digits && (c != '0' || digits == 1)) {
      form += hole;
      fillings_.push_back(std::stoll(std::string(text.substr(at, digits))));
      bytes_ += digits + 1;
    } else {
      form += text.substr(at, digits);
    }
    at = end;
  }
  const auto [found, is_new] = known_.try_emplace(form, int(forms_.size()));
  if (is_new) {
    forms_.push_back(form);
    bytes_ += form.size() + 3;
  }
  form_of_.push_back(found->second);
  bytes_ += 4;
}

}  // namespace podsim::report::html
