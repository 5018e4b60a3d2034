// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/command_line/command_line.h"
#include "app/podsim.h"
#include "app/search/search_command.h"
#include "app/sweep/sweep.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/standard_descriptors.h"
#include "base/host/standard_output.h"
#include "mpi/communicator.h"
#include "mpi/rank_runners.h"
#include "mpi/rank_worker.h"

// libsystemc contains a main, which calls sc_main. This program's main comes first in the link, so sc_main is never
// called.
extern "C" int sc_main(int, char**) { return 0; }

namespace {

/// Seconds of silence that a live rank may show, for example on a host that swaps.
constexpr std::int64_t default_silence_s = 30, min_silence_s = 2, max_silence_s = 3600;

struct Options {
  podsim::app::sweep::SweepOptions sweep;
  std::int64_t silence_s = ::default_silence_s;
};

void add_sweep(CLI::App& program, podsim::app::sweep::WorkerProcesses& own, podsim::mpi::Communicator& ranks,
               int& code) {
  auto options = std::make_shared<::Options>();
  CLI::App* command =
      program.add_subcommand("sweep", "Run a study, its points on the ranks of an MPI job")->group("Commands");
  podsim::app::sweep::add_sweep_flags(*command, options->sweep);
  command
      ->add_option_function<std::string>(
          "--rank-timeout",
          [options](const std::string& text) {
            options->silence_s =
                podsim::base::host::parse_whole_number("--rank-timeout", text, ::min_silence_s, ::max_silence_s);
          },
          "Seconds of silence after which a rank is taken to be gone [30]")
      ->option_text("SECONDS");
  command->footer(R"(Examples:
  mpirun -n 64 podsim-mpi sweep study.toml -o /shared/study
  mpirun --enable-recovery -n 64 podsim-mpi sweep study.toml --resume
  srun --mpi=pmix -n 64 podsim-mpi sweep study.toml)");
  command->callback([options, &own, &ranks, &code] {
    code = podsim::app::sweep::run_sweep(options->sweep, [&](std::size_t) {
      return std::make_unique<podsim::mpi::RankRunners>(own, ranks, std::chrono::seconds(options->silence_s));
    });
  });
}

void add_search(CLI::App& program, const std::vector<std::string>& words, podsim::app::sweep::WorkerProcesses& own,
                podsim::mpi::Communicator& ranks, int& code) {
  const auto on_ranks = [&own, &ranks](std::size_t) {
    return std::make_unique<podsim::mpi::RankRunners>(own, ranks, std::chrono::seconds(::default_silence_s));
  };
  podsim::app::search::add_search(program, words, on_ranks, code);
}

/// Rank 0 runs the command line; the other ranks run the points that it sends.
int run_rank(int argc, char** argv, podsim::app::sweep::WorkerProcesses& own, podsim::mpi::Communicator& ranks) {
  if (ranks.rank() != 0) return serve(own, ranks) ? podsim::base::host::done : podsim::base::host::failed;
  const podsim::app::command_line::ProgramText text{
      "podsim-mpi", "podsim-mpi: studies and searches of podsim on the ranks of an MPI job", ""};
  const int code = podsim::app::command_line::run_command_line(
      argc, argv, text, [&](CLI::App& program, const std::vector<std::string>& words, int& result) {
        ::add_sweep(program, own, ranks, result);
        ::add_search(program, words, own, ranks, result);
      });
  const char* last = ranks.leaves_alone() ? podsim::mpi::message::leave : podsim::mpi::message::end;
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, last);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  podsim::base::host::open_standard_descriptors();
  podsim::base::host::survive_broken_pipes();
  // Points run in children of a process that forks before MPI starts, since an MPI process must not be forked.
  podsim::app::sweep::WorkerProcesses own(1, podsim::app::run_podsim);
  std::optional<podsim::mpi::Communicator> ranks(std::in_place, argc, argv);
  const int code = ::run_rank(argc, argv, own, *ranks);
  ranks.reset();
  std::fflush(stdout);
  return podsim::base::host::end_of_output(code);
}
