// SPDX-License-Identifier: Apache-2.0
#include "hlo/api/hlo.h"

#include <utility>

#include "base/diagnostic.h"

namespace podsim::hlo::api {

hlo::Module read_graph(const std::string& file, std::string text) {
  text::ReadResult result = text::read(file, std::move(text));
  if (!result.ok()) throw base::InputError(std::move(result.diagnostics));
  if (result.modules.empty()) throw base::InputError("'" + file + "' has no module", "expected HLO or StableHLO");
  return text::graph::to_graph(result.modules.back());
}

}  // namespace podsim::hlo::api
