// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "workloads/serving/request.h"
#include "workloads/serving/server_plan.h"
#include "workloads/serving/serving_outcome.h"
#include "workloads/serving/step_cost.h"

namespace podsim::workloads::serving {

/// Serves requests, in the order of their arrivals, until the last one is finished.
///
/// A replica runs steps one after another. Before each it chooses, in the order of priorities and then of arrivals:
///
///   decoding   every sequence of the batch whose prompt is read gets a token, and those of a draft that are accepted
///              (Drafting). If no page is free for them, the least of
///              the batch is preempted: its cache is dropped, and it waits to be read once more, with its tokens so far
///   prompts    the rest of prompts that were begun, then requests of the queue as long as the batch has room and their
///              pages are free (page_watermark), up to the chunk. Blocks of a prompt that are in the memory are not
///              read
///   time       costs(shape), of the next larger shape for which programs are compiled
///
/// The step that reads a prompt's last tokens makes the answer's first one. With replicas that decode, the sequence
/// then waits for memory and room there, then for the network ports of both (TransferPorts), and its cache is sent.
/// When a replica stops, its step is lost, and its requests are routed once more. Tokens that a request is drawn to
/// find in the cache (Request::seen) are read again when its cache was dropped or lost; blocks with names are found if
/// they are there. Requests whose cache would not fit an empty replica are refused.
///
/// Times are whole nanoseconds; what happens at one time is seen together by the steps that begin then. Throws
/// base::SimulationError if requests wait for longer than 64 bits count.
ServingOutcome serve(const ServerPlan& plan, const std::vector<Request>& requests, StepCosts costs);

/// The same with steps whose times are not remembered and not padded, such as those that a law draws.
ServingOutcome serve_with_drawn_steps(const ServerPlan& plan, const std::vector<Request>& requests, StepCosts costs);

}  // namespace podsim::workloads::serving
