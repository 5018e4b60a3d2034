// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/serve/serve_options.h"
#include "app/serve/step_programs.h"
#include "report/serving/serving_report.h"
#include "workloads/serving/server_plan.h"

namespace podsim::app::serve {

/// Serves the requests of the options. InputError for flags that do not fit each other. Throws
/// base::host::Interrupted.
report::serving::ServingReport run_serve(const ServeOptions& options);

/// InputError for flags that a workload without tokens, or one with tokens, has no use for.
void check_flags(const ServeOptions& options, bool tokens);

/// The server of a plan that the flags describe, without outages; `room` is of a replica's cache.
workloads::serving::ServerPlan server_plan(const ServeOptions& options, bool tokens, const ReplicaSlice& slice);

}  // namespace podsim::app::serve
