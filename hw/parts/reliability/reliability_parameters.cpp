// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/reliability/reliability_parameters.h"

#include "base/parameters/section.h"

namespace podsim::hw::parts::reliability {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  // A part that fails more often than a hundred times a day never works for long enough to be repaired.
  const Real rate{0, 100, "is a number of failures of one part per day: between 0 and 100"};
  const Time day{86'400}, year{31'536'000};
  static const base::parameters::Section<Parameters> keys(
      "faults",
      {
          {"chip_per_day", &Parameters::chip, rate, {failures}},
          {"hbm_per_day", &Parameters::hbm, rate, {failures}},
          {"hbm_worn_per_day", &Parameters::hbm_worn, rate, {failures}},
          {"host_per_day", &Parameters::host, rate, {failures}},
          {"software_per_day", &Parameters::software, rate, {failures}},
          {"maintenance_per_day", &Parameters::maintenance, rate, {failures}},
          {"cable_per_day", &Parameters::cable, rate, {failures}},
          {"optics_per_day", &Parameters::optics, rate, {failures}},
          {"silent_per_day", &Parameters::silent, rate, {failures}},
          {"silent_found", &Parameters::silent_found, Real{0.01, 1, "must be between 0.01 and 1"}, {failures}},
          {"shape", &Parameters::shape, Real{0.2, 10, "must be between 0.2 and 10; 1 is exponential"}, {failures}},
          {"detection", &Parameters::detection, day, {failures}},
          {"diagnosis", &Parameters::diagnosis, day, {failures}},
          {"exchange", &Parameters::exchange, year, {failures}},
          {"repair", &Parameters::repair, year, {failures}},
          {"cable_repair", &Parameters::cable_repair, year, {failures}},
      });
  return keys;
}

Parameters read_parameters(const base::Config& config) { return Parameters::section().read({config, std::nullopt}); }

}  // namespace podsim::hw::parts::reliability
