// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::hw::isa::pasm {

/// A range of the text, in bytes.
struct Span {
  std::size_t offset = 0;
  std::size_t length = 1;
};
inline Span join(Span first, Span last) { return {first.offset, last.offset + last.length - first.offset}; }

/// Thrown within a parser after a mistake has been reported, so that parsing continues after it.
struct SyntaxError {};

/// The text and the mistakes found in it so far.
class Report {
 public:
  Report(std::string file, std::string_view text);

  void error(Span span, std::string message, std::string hint = "");
  /// Reports an error and throws SyntaxError.
  [[noreturn]] void fail(Span span, std::string message, std::string hint = "");
  bool empty() const { return diagnostics_.empty(); }
  /// Throws base::InputError with all reported mistakes, in the order of the text, if there are any.
  void throw_if_any();

  std::string_view text(Span span) const { return text_.substr(span.offset, span.length); }
  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  base::SourceLocation locate(Span span) const;
  int line(Span span) const;  ///< 1-based

 private:
  std::string file_;
  std::string_view text_;
  std::vector<std::size_t> line_begins_;
  std::vector<base::Diagnostic> diagnostics_;
};

}  // namespace podsim::hw::isa::pasm
