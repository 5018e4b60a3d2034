// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hlo/pipeline/schedule.h"

/// Schedules as text in TOML, with the tasks of every stage in its order:
///
///   stages = [
///     "F0 F1 B0 B1",
///     "F0 B0 F1 B1",
///   ]
///
/// A task is a letter, F (forward), B (backward), I or W (the gradients of inputs or of weights alone), the number of a
/// micro-batch and, behind a point, that of a chunk: "F0.2". A task without it is of the chunk with the stage's number.
/// There are as many micro-batches and chunks as the largest numbers say.
namespace podsim::hlo::pipeline {

/// Reads and checks a schedule. InputError at the line and column of what is not in this form, and at the task where
/// find_fault() finds a fault.
Schedule read_schedule(std::string_view file, std::string_view text);

/// The text of a schedule, which reads back as the same.
std::string schedule_text(const Schedule& schedule);

}  // namespace podsim::hlo::pipeline
