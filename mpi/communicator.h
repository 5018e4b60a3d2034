// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <optional>
#include <string>

/// podsim-mpi: a sweep that runs its points on the ranks of an MPI job.
namespace podsim::mpi {

/// Exchanges texts between the ranks of the job without blocking. No function throws because a rank is gone: messages
/// to it are lost, and no more arrive from it.
class Communicator {
 public:
  struct Message {
    int from = 0;
    std::string text;
  };

  /// Starts MPI. Any process must be forked before.
  Communicator(int& argc, char**& argv);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  void send(int to, std::string text);
  /// The next message that has arrived; std::nullopt if there is none.
  std::optional<Message> receive();
  /// Makes the destructor skip the wait for the other ranks, because one of them is gone.
  void leave_alone() { alone_ = true; }
  bool leaves_alone() const { return alone_; }

 private:
  struct Sending;

  void forget_sent();

  int rank_ = 0, size_ = 1;
  bool alone_ = false;
  std::list<Sending> sending_;  ///< texts that MPI may still read
};

}  // namespace podsim::mpi
