// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::app::output {

/// Thrown after a run that completed and printed its result, if the result is wrong. The program prints the diagnostics
/// and exits with 1.
class FailedCheck : public std::runtime_error {
 public:
  explicit FailedCheck(std::vector<base::Diagnostic> diagnostics)
      : std::runtime_error("a check failed"), diagnostics_(std::move(diagnostics)) {}
  const std::vector<base::Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<base::Diagnostic> diagnostics_;
};

}  // namespace podsim::app::output
