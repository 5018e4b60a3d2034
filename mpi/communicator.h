// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <optional>
#include <string>

/// podsim-mpi: a sweep whose points are run by the ranks of an MPI job.
namespace podsim::mpi {

/// The ranks of the job and what they send each other: texts, without waiting. Nothing here throws for a rank that is
/// gone: what is sent to it is lost, and nothing more comes from it.
class Communicator {
 public:
  struct Message {
    int from = 0;
    std::string text;
  };

  /// Starts MPI. Processes that are to be forked are forked before.
  Communicator(int& argc, char**& argv);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  void send(int to, std::string text);
  /// The next message that has come.
  std::optional<Message> receive();
  /// Does not wait for the others at the end: one of them will not come.
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
