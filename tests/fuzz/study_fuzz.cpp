// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a study file is refused with a diagnostic, or has a size.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/diagnostic.h"
#include "studies/plan/study.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto study = podsim::studies::plan::parse_study("fuzz.toml", std::string(data, data + size));
    if (podsim::studies::plan::study_size(study) < 0) std::abort();
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
  }
  return 0;
}
