// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/stablehlo/hlo_text.h"
#include "hlo/text/scanner.h"

namespace podsim::hlo::text {

/// Errors and warnings about one text. If that text was made from another, they are about the lines of the other.
class DiagnosticList {
 public:
  /// Number of errors after which reading stops.
  static constexpr int max_errors = 50;

  DiagnosticList(std::string file, std::string_view text, const stablehlo::TextOrigin* origin = nullptr)
      : file_(std::move(file)), text_(text), origin_(origin) {}

  void error(const SyntaxError& error);
  /// `where` is a view into the text.
  void error(std::string_view where, const std::string& message, const std::string& hint = "");
  void warning(std::string_view where, const std::string& message, const std::string& hint = "");

  int errors() const { return errors_; }
  bool full() const { return errors_ >= max_errors; }
  std::string_view text() const { return text_; }
  /// 1-based line of a view into the text.
  int line_of(std::string_view where) const;
  std::vector<base::Diagnostic> take() { return std::move(list_); }

 private:
  /// Offset of a view into the text; the end of the text for other views, such as invented names.
  std::size_t offset_of(std::string_view where) const;
  void add(base::Diagnostic::Severity severity, std::size_t offset, std::size_t length, const std::string& message,
           const std::string& hint);

  std::string file_;
  std::string_view text_;
  const stablehlo::TextOrigin* origin_;
  std::vector<base::Diagnostic> list_;
  int errors_ = 0;
};

}  // namespace podsim::hlo::text
