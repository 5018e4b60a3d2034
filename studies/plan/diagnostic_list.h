// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::studies::plan {

/// The errors found in a study so far, so that all are reported at once. An equal error at the same location is kept
/// once.
class DiagnosticList {
 public:
  void error(base::SourceLocation place, std::string message, std::string hint = "");
  /// Adds the diagnostics of `error`. One without a location gets `place`; one with an offset into a value's text alone
  /// gets that offset within the value in the file.
  void add(const base::InputError& error, const base::SourceLocation& place);
  /// Runs `body` and adds the base::InputError that it throws, if any.
  void collect(const base::SourceLocation& place, const std::function<void()>& body);

  bool empty() const { return diagnostics_.empty(); }
  /// Throws base::InputError with the errors in the order of the file, if there are any; the first 20 and the number of
  /// the rest.
  void throw_if_any();

 private:
  void add(base::Diagnostic diagnostic);

  std::vector<base::Diagnostic> diagnostics_;
};

}  // namespace podsim::studies::plan
