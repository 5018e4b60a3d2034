// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_runners.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/host/standard_output.h"

namespace podsim::mpi {

namespace {

using Json = nlohmann::json;

constexpr int wait_ms = 100;

}  // namespace

RankRunners::RankRunners(app::sweep::WorkerProcesses& own, Communicator& ranks, Clock::duration silence)
    : own_(own), communicator_(ranks), silence_(silence), ranks_(std::size_t(ranks.size()), Rank{Clock::now()}) {}

void RankRunners::give(std::size_t runner, const studies::sweep::PointTask& task) {
  ranks_[runner].busy = true;
  if (runner == 0) return own_.give(0, task);
  communicator_.send(int(runner), studies::sweep::to_message(task));
}

std::vector<RankRunners::Report> RankRunners::wait() {
  std::vector<Report> reports;
  for (int waited = 0; waited < wait_ms && reports.empty(); ++waited) {
    for (Report& report : own_.wait(1)) {
      ranks_[0].busy = false;
      reports.push_back(std::move(report));
    }
    take_messages(reports);
  }
  find_lost(reports);
  return reports;
}

void RankRunners::take_messages(std::vector<Report>& reports) {
  while (const auto message = communicator_.receive()) {
    Rank& rank = ranks_[std::size_t(message->from)];
    rank.heard = Clock::now();
    if (message->text == message::here) {
      communicator_.send(message->from, message::here);
    } else if (rank.busy && !rank.lost) {
      const Json report = Json::parse(message->text);
      rank.busy = false;
      reports.push_back({std::size_t(message->from), report.at("lost").get<bool>(),
                         base::host::from_message(report.at("output").get<std::string>())});
    }
  }
}

void RankRunners::find_lost(std::vector<Report>& reports) {
  for (std::size_t i = 1; i < ranks_.size(); ++i) {
    Rank& rank = ranks_[i];
    if (rank.lost || Clock::now() - rank.heard < silence_) continue;
    rank.lost = true;
    communicator_.leave_alone();
    base::host::print_warning(fmt::format("rank {} is gone; the others go on", i));
    if (!rank.busy) continue;
    rank.busy = false;
    base::host::ProcessOutput output;
    output.exit_code = 1;
    output.error = fmt::format("rank {}, which ran it, was lost", i);
    reports.push_back({i, true, std::move(output)});
  }
}

}  // namespace podsim::mpi
