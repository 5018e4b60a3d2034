// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/config.h"
#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::reliability {

/// How often the parts of a machine fail, and what that takes beyond the job's own restart. Rates are failures of one
/// unit per day.
struct Parameters {             ///< [faults]
  double chip = 0;              ///< of a chip, apart from its HBM; ends the job
  double hbm = 0;               ///< of a chip's HBM, beyond its error correction; ends the job
  double hbm_worn = 0;          ///< chips whose corrected errors exceed what is tolerated; announced
  double host = 0;              ///< of a host, apart from its chips; ends the job
  double software = 0;          ///< crashes, per host; nothing has to be repaired
  double maintenance = 0;       ///< of a host; announced
  double cable = 0;             ///< of a cable between hosts; ends the job, messages may take other links
  double optics = 0;            ///< of an optical link between pods; likewise
  double silent = 0;            ///< chips that begin to compute wrong results, which nothing reports
  double silent_found = 0;      ///< probability that a check finds such a chip
  double shape = 0;             ///< of Weibull's law of the times between failures of a part; 1: exponential
  base::Duration detection;     ///< from a failure until the job is known to be dead
  base::Duration diagnosis;     ///< which part it was, and the check of all others before a restart
  base::Duration exchange;      ///< until a spare host has the chips' positions of a broken one
  base::Duration repair;        ///< mean, of a host with its chips; exponential
  base::Duration cable_repair;  ///< mean, of a cable or an optical link; exponential

  static const base::parameters::Section<Parameters>& section();
};

/// InputError for a value out of its range, at the location that set it.
Parameters read_parameters(const base::Config& config);

}  // namespace podsim::hw::parts::reliability
