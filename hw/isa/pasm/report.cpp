// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/report.h"

#include <algorithm>
#include <tuple>

#include "base/text/utf8.h"

namespace podsim::hw::isa::pasm {
namespace {

constexpr std::size_t max_diagnostics = 100;  // a file that is not assembly has an error on every line

bool earlier(const base::Diagnostic& a, const base::Diagnostic& b) {
  return std::tie(a.location.line, a.location.column) < std::tie(b.location.line, b.location.column);
}

}  // namespace

Report::Report(std::string file, std::string_view text) : file_(std::move(file)), text_(text), line_begins_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_begins_.push_back(i + 1);
  }
}

int Report::line(Span span) const {
  auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), span.offset);
  return int(next - line_begins_.begin());
}

base::SourceLocation Report::locate(Span span) const {
  auto characters = int(base::text::utf8_characters(text(span)).size());
  return base::locate(file_, text_, span.offset, std::max(characters, 1));
}

void Report::error(Span span, std::string message, std::string hint) {
  if (diagnostics_.size() >= max_diagnostics) return;
  diagnostics_.push_back({base::Diagnostic::Severity::error, std::move(message), locate(span), std::move(hint)});
}

void Report::fail(Span span, std::string message, std::string hint) {
  error(span, std::move(message), std::move(hint));
  throw SyntaxError{};
}

void Report::throw_if_any() {
  if (diagnostics_.empty()) return;
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(), earlier);
  throw base::InputError(diagnostics_);
}

}  // namespace podsim::hw::isa::pasm
