// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_worker.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/json_text.h"
#include "mpi/rank_runners.h"

namespace podsim::mpi {

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr std::chrono::seconds between_signs{1};

std::string message_of(const studies::sweep::PointRunners::Report& report) {
  return base::text::json_text(Json{{"lost", report.lost}, {"output", base::host::to_message(report.output)}});
}

}  // namespace

bool serve(app::sweep::WorkerProcesses& own, Communicator& ranks) {
  Clock::time_point heard = Clock::now(), next_sign = heard;
  while (Clock::now() - heard < longest_silence) {
    if (Clock::now() >= next_sign) {
      ranks.send(0, message::here);
      next_sign = Clock::now() + between_signs;
    }
    for (const studies::sweep::PointRunners::Report& report : own.wait(1)) ranks.send(0, message_of(report));
    while (const auto message = ranks.receive()) {
      heard = Clock::now();
      if (message->text == message::leave) ranks.leave_alone();
      if (message->text == message::leave || message->text == message::end) return true;
      if (message->text != message::here) own.give(0, studies::sweep::task_of_message(message->text));
    }
  }
  ranks.leave_alone();
  return false;
}

}  // namespace podsim::mpi
