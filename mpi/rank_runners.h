// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/sweep/worker_processes.h"
#include "mpi/communicator.h"

namespace podsim::mpi {

/// Runs points on every rank: on rank 0 through a local worker process, on the others by messages. A rank sends a sign
/// of life every second; one that is silent for longer than `silence` is lost and has no successor.
class RankRunners : public studies::sweep::PointRunners {
 public:
  using Clock = std::chrono::steady_clock;

  /// `own` and `ranks` must outlive it.
  RankRunners(app::sweep::WorkerProcesses& own, Communicator& ranks, Clock::duration silence);
  std::size_t size() const override { return ranks_.size(); }
  bool usable(std::size_t runner) const override { return !ranks_[runner].lost; }
  void give(std::size_t runner, const studies::sweep::PointTask& task) override;
  std::vector<Report> wait() override;

 private:
  struct Rank {
    Clock::time_point heard;
    bool busy = false, lost = false;
  };

  void take_messages(std::vector<Report>& reports);
  void find_lost(std::vector<Report>& reports);

  app::sweep::WorkerProcesses& own_;
  Communicator& communicator_;
  Clock::duration silence_;
  std::vector<Rank> ranks_;
};

/// Messages between ranks, in addition to tasks and reports.
namespace message {

inline constexpr const char* here = "";        ///< from a rank every second, and rank 0's answer
inline constexpr const char* end = "end";      ///< to a rank when all work is done
inline constexpr const char* leave = "leave";  ///< as `end`, when ranks are lost: the ranks do not wait for each other

}  // namespace message

}  // namespace podsim::mpi
