// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/config.h"
#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::workloads::job {

/// What a training job takes in addition to its steps, of the machine's section [job].
struct JobParameters {
  base::Duration loop_launch;       ///< until a loop of steps begins on the device
  base::Duration connect;           ///< processes, runtime and the mesh of the chips
  base::Duration graph_op;          ///< building the graph of one host, per op of the compiled step
  base::Duration compile_op;        ///< compiling, per op of a compiled program
  base::Bytes outfeed;              ///< that a core sends its host after every step
  base::Duration outfeed_handling;  ///< of a host, for what its cores have sent after a step
  base::Bandwidth storage_rate;     ///< of a host, to and from where checkpoints are kept
  bool checkpoint_beside = false;   ///< whether steps run while hosts write a checkpoint

  static const base::parameters::Section<JobParameters>& section();
};

/// InputError for a value out of its range, at the location that set it.
JobParameters read_job_parameters(const base::Config& config);

}  // namespace podsim::workloads::job
