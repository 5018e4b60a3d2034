// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "app/worker_processes.h"
#include "mpi/communicator.h"

namespace podsim::mpi {

/// Rank 0 answers every second; one that has not for so long is gone. It reads a study before it hears anybody.
inline constexpr std::chrono::minutes longest_silence{10};

/// Runs the points that rank 0 sends, one after the other, until it says that it is the end. False when rank 0 is gone.
bool serve(app::WorkerProcesses& own, Communicator& ranks);

}  // namespace podsim::mpi
