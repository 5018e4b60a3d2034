// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/worker_processes.h"
#include "mpi/communicator.h"

namespace podsim::mpi {

/// Every rank as a runner of points: rank 0 by a worker process of its own, the others by messages. A rank that says
/// nothing for a while, where it should say every second that it is there, is lost and has no successor.
class RankRunners : public app::PointRunners {
 public:
  using Clock = std::chrono::steady_clock;

  /// Both outlive this. `silence` is after how long a rank is lost.
  RankRunners(app::WorkerProcesses& own, Communicator& ranks, Clock::duration silence);
  std::size_t size() const override { return ranks_.size(); }
  bool usable(std::size_t runner) const override { return !ranks_[runner].lost; }
  void give(std::size_t runner, const app::PointTask& task) override;
  std::vector<Report> wait() override;

 private:
  struct Rank {
    Clock::time_point heard;
    bool busy = false, lost = false;
  };

  void take_messages(std::vector<Report>& reports);
  void find_lost(std::vector<Report>& reports);

  app::WorkerProcesses& own_;
  Communicator& communicator_;
  Clock::duration silence_;
  std::vector<Rank> ranks_;
};

/// What ranks tell each other.
namespace message {

inline constexpr const char* here = "";        ///< of a rank, every second, and the answer to it
inline constexpr const char* end = "end";      ///< to a rank, when there is nothing more to do
inline constexpr const char* leave = "leave";  ///< the same, when ranks are lost: nobody waits for anybody

}  // namespace message

}  // namespace podsim::mpi
