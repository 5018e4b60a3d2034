// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "app/run/run_options.h"
#include "base/units.h"
#include "workloads/goodput/job_plan.h"
#include "workloads/goodput/seeds.h"

namespace podsim::app::goodput {

/// The flags of `podsim goodput`.
struct GoodputOptions {
  run::RunOptions run;  ///< the job's step
  double days = 30;
  workloads::goodput::Seeds seeds;
  std::optional<base::Duration> checkpoint_every;  ///< std::nullopt: the best interval
  std::int64_t spares = 0;
  workloads::goodput::WithoutSpare without_spare = workloads::goodput::WithoutSpare::reslice;
  bool checks = true;
  bool verdicts = false;
  bool json = false;
};

}  // namespace podsim::app::goodput
