// SPDX-License-Identifier: Apache-2.0
#include "mpi/communicator.h"

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace podsim::mpi {

struct Communicator::Sending {
  std::string text;
  MPI_Request request = MPI_REQUEST_NULL;
};

Communicator::Communicator(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Communicator::~Communicator() {
  if (alone_) return;
  for (Sending& sending : sending_) MPI_Wait(&sending.request, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

void Communicator::send(int to, std::string text) {
  forget_sent();
  Sending& sending = sending_.emplace_back(Sending{std::move(text)});
  MPI_Isend(sending.text.data(), int(sending.text.size()), MPI_CHAR, to, 0, MPI_COMM_WORLD, &sending.request);
}

std::optional<Communicator::Message> Communicator::receive() {
  forget_sent();
  int is_there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status) != MPI_SUCCESS || is_there == 0) {
    return std::nullopt;
  }
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  Message message{status.MPI_SOURCE, std::string(std::size_t(length), '\0')};
  const int result = MPI_Recv(message.text.data(), length, MPI_CHAR, message.from, 0, MPI_COMM_WORLD, &status);
  return result == MPI_SUCCESS ? std::optional(std::move(message)) : std::nullopt;
}

void Communicator::forget_sent() {
  std::erase_if(sending_, [](Sending& sending) {
    int is_sent = 0;
    return MPI_Test(&sending.request, &is_sent, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_sent != 0;
  });
}

}  // namespace podsim::mpi
