// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/point.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {

/// A file of measured points that a folder has.
struct MeasuredSource {
  using Reader = std::vector<PointClass> (*)(const std::string& file, std::string_view text, Silicon& silicon);

  std::string name;  ///< "nmt", of op_profiles/nmt.csv
  std::string path;
  std::string text;
  Reader read;  ///< models its points
};

struct MeasuredSources {
  std::vector<MeasuredSource> sources;
  std::vector<std::string> missing;  ///< files that the folder does not have
};

/// The files of `folder` that podsim knows, in a fixed order: kernels.csv, mbconv_inference.csv, paradnn_fc_v2.csv and
/// the profiles in op_profiles/ in alphabetical order. Throws base::InputError if it has none.
MeasuredSources measured_sources(const std::string& folder);

}  // namespace podsim::validation::measured
