// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/validation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "validation/measured/measured_sources.h"

namespace podsim::validation::measured {

void validate(const std::string& folder, Silicon& silicon, Validation& result,
              const std::function<void(double)>& progress) {
  result.folder = folder;
  MeasuredSources found = measured_sources(folder);
  result.missing = std::move(found.missing);
  for (std::size_t i = 0; i < found.sources.size(); ++i) {
    const MeasuredSource& source = found.sources[i];
    std::ranges::move(source.read(source.path, source.text, silicon), std::back_inserter(result.classes));
    if (progress) progress(double(i + 1) / double(found.sources.size()));
  }
}

}  // namespace podsim::validation::measured
