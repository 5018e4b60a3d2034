// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/diagnostic_list.h"

#include <algorithm>
#include <functional>

#include "base/text/utf8.h"

namespace podsim::hlo::text {

using Severity = base::Diagnostic::Severity;

void DiagnosticList::error(const SyntaxError& error) {
  add(Severity::error, error.offset, error.length, error.what(), error.hint);
}

void DiagnosticList::error(std::string_view where, const std::string& message, const std::string& hint) {
  add(Severity::error, offset_of(where), where.size(), message, hint);
}

void DiagnosticList::warning(std::string_view where, const std::string& message, const std::string& hint) {
  add(Severity::warning, offset_of(where), where.size(), message, hint);
}

std::size_t DiagnosticList::offset_of(std::string_view where) const {
  const bool inside =
      !std::less<>{}(where.data(), text_.data()) && !std::less<>{}(text_.data() + text_.size(), where.data());
  return inside ? std::size_t(where.data() - text_.data()) : end_of_content(text_);
}

int DiagnosticList::line_of(std::string_view where) const {
  const std::string_view before = text_.substr(0, offset_of(where));
  return 1 + int(std::count(before.begin(), before.end(), '\n'));
}

void DiagnosticList::add(Severity severity, std::size_t offset, std::size_t length, const std::string& message,
                         const std::string& hint) {
  std::string_view text = text_;
  if (origin_ != nullptr) {
    const auto line =
        std::size_t(std::count(text_.begin(), text_.begin() + std::ptrdiff_t(std::min(offset, text_.size())), '\n'));
    const stablehlo::LineOrigin at = line < origin_->lines.size() ? origin_->lines[line] : stablehlo::LineOrigin{};
    text = origin_->text;
    offset = at.offset;
    length = at.length;
  }
  const std::string_view marked = text.substr(std::min(offset, text.size()), std::min<std::size_t>(length, 1000));
  const std::size_t characters = base::text::utf8_characters(marked.substr(0, marked.find('\n'))).size();
  list_.push_back({severity, message, base::locate(file_, text, offset, std::max(int(characters), 1)), hint});
  errors_ += severity == Severity::error ? 1 : 0;
}

}  // namespace podsim::hlo::text
