// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "app/sweep/point_worker.h"
#include "studies/sweep/point_runners.h"

namespace podsim::app::sweep {

/// Runs points on processes of this host, each with a PointWorker. A process that ends is replaced. All are killed,
/// with their running points, when this object is destroyed or this process ends. They are in separate process groups,
/// so that Ctrl-C reaches only this process.
class WorkerProcesses : public studies::sweep::PointRunners {
 public:
  /// Throws SimulationError if no process can be started.
  WorkerProcesses(std::size_t count, RunProgram run_program);
  ~WorkerProcesses() override;
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  std::size_t size() const override { return workers_.size(); }
  bool usable(std::size_t /*runner*/) const override { return true; }
  void give(std::size_t runner, const studies::sweep::PointTask& task) override;
  std::vector<Report> wait() override;
  /// As wait(), within at most `longest_ms` milliseconds.
  std::vector<Report> wait(int longest_ms);

 private:
  struct Worker {
    pid_t process = -1;
    int socket = -1;
    bool busy = false;
    std::string received;  ///< part of the answer received so far
  };

  void start(Worker& worker);
  /// Kills the worker if it is alive, and returns its status from waitpid().
  int end(Worker& worker);
  bool receive(Worker& worker);
  [[noreturn]] void be_worker(int socket);

  RunProgram run_program_;
  std::vector<Worker> workers_;
};

}  // namespace podsim::app::sweep
