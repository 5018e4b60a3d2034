// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::workloads {

/// What is wrong with a study so far, so that all of it is said at once; the same thing at the same place once.
class DiagnosticList {
 public:
  void error(base::SourceLocation place, std::string message, std::string hint = "");
  /// What has no place yet gets `place`; what points into the text there, by an offset in that text alone, points into
  /// the file.
  void add(const base::InputError& error, const base::SourceLocation& place);
  /// Runs `body` and adds what it throws.
  void collect(const base::SourceLocation& place, const std::function<void()>& body);

  bool empty() const { return diagnostics_.empty(); }
  /// base::InputError, in the order of the file, when there is anything; not more than a screenful.
  void throw_if_any();

 private:
  void add(base::Diagnostic diagnostic);

  std::vector<base::Diagnostic> diagnostics_;
};

}  // namespace podsim::workloads
