// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// The studies that ship with the program.
namespace podsim::studies::shipped {

struct EmbeddedStudy {
  std::string name;
  std::string toml;
};

/// The files of studies/shipped/ by their names without .toml, in alphabetical order; generated at build time.
const std::vector<EmbeddedStudy>& embedded_studies();

}  // namespace podsim::studies::shipped
