// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "app/sweep/worker_processes.h"
#include "mpi/communicator.h"

namespace podsim::mpi {

/// Silence after which rank 0 is considered gone. It answers every second, but not while it reads the study at the
/// start.
inline constexpr std::chrono::minutes longest_silence{10};

/// Runs the points that rank 0 sends, one after the other, until it sends the end. Returns false if rank 0 is gone.
bool serve(app::sweep::WorkerProcesses& own, Communicator& ranks);

}  // namespace podsim::mpi
