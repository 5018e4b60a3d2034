// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/measured/point.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {

/// What `podsim validate` found: the classes of the measured files that a folder has.
struct Validation {
  std::string folder;
  std::vector<PointClass> classes;
  std::vector<std::string> missing;  ///< files that the folder does not have
  double wall_s = 0;                 ///< host time
};

/// Models every point of the files of `folder` that podsim knows, in a fixed order, into `result`: kernels.csv,
/// mbconv_inference.csv, paradnn_fc_v2.csv and the profiles in op_profiles/ in alphabetical order. Calls `progress`
/// with the share of files that is done. Throws base::InputError if the folder has none of them or a file is bad.
void validate(const std::string& folder, Silicon& silicon, Validation& result,
              const std::function<void(double)>& progress = {});

/// A line per class: points, median, mean and 90th percentile of the errors, bias, rank correlation, and a roofline's.
std::string validation_text(const Validation& validation);
std::string validation_json(const Validation& validation);
/// A line per point.
std::string validation_csv(const Validation& validation);

}  // namespace podsim::validation::measured
