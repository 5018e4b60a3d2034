// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "app/point_runners.h"

namespace podsim::app {

/// Processes of this host, each with a PointWorker. One that ends is followed by another; all are killed, and with them
/// the points under way, when this object or this process ends. They are in groups of their own, so that a Ctrl-C
/// reaches this process alone.
class WorkerProcesses : public PointRunners {
 public:
  /// SimulationError when the host gives no process.
  explicit WorkerProcesses(std::size_t count);
  ~WorkerProcesses() override;
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  std::size_t size() const override { return workers_.size(); }
  bool usable(std::size_t /*runner*/) const override { return true; }
  void give(std::size_t runner, const PointTask& task) override;
  std::vector<Report> wait() override;
  /// The same after at most so many milliseconds.
  std::vector<Report> wait(int longest_ms);

 private:
  struct Worker {
    pid_t process = -1;
    int socket = -1;
    bool busy = false;
    std::string received;  ///< of the answer
  };

  void start(Worker& worker);
  /// Kills it if it lives; its status as waitpid() gives it.
  int end(Worker& worker);
  bool receive(Worker& worker);
  [[noreturn]] void be_worker(int socket);

  std::vector<Worker> workers_;
};

}  // namespace podsim::app
