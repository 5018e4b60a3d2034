// SPDX-License-Identifier: Apache-2.0
#include "base/host/write_all.h"

#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::base::host {

void write_all(const std::vector<std::function<void()>>& results) {
  std::vector<Diagnostic> errors;
  for (const std::function<void()>& write : results) {
    try {
      write();
    } catch (const InputError& error) {
      errors.insert(errors.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
  if (!errors.empty()) throw InputError(std::move(errors));
}

}  // namespace podsim::base::host
