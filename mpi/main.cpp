// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/arguments.h"
#include "app/command_line.h"
#include "app/sweep.h"
#include "mpi/communicator.h"
#include "mpi/rank_runners.h"
#include "mpi/rank_worker.h"

// libsystemc brings its own main, which calls sc_main; this program's main comes first and sc_main is never called.
extern "C" int sc_main(int, char**) { return 0; }

namespace {

using namespace podsim;

/// Of a rank that is there but late, such as on a host that swaps.
constexpr std::int64_t default_silence_s = 30, least_silence_s = 2, most_silence_s = 3600;

struct Options {
  app::SweepOptions sweep;
  std::int64_t silence_s = default_silence_s;
};

void add_sweep(CLI::App& program, app::WorkerProcesses& own, mpi::Communicator& ranks, int& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("sweep", "Run a study, its points on the ranks of an MPI job")->group("Commands");
  app::add_sweep_flags(*command, options->sweep);
  command
      ->add_option_function<std::string>(
          "--rank-timeout",
          [options](const std::string& text) {
            options->silence_s = app::parse_whole_number("--rank-timeout", text, least_silence_s, most_silence_s);
          },
          "Seconds of silence after which a rank is taken to be gone [30]")
      ->option_text("SECONDS");
  command->footer(R"(Examples:
  mpirun -n 64 podsim-mpi sweep study.toml -o /shared/study
  mpirun --enable-recovery -n 64 podsim-mpi sweep study.toml --resume
  srun --mpi=pmix -n 64 podsim-mpi sweep study.toml)");
  command->callback([options, &own, &ranks, &code] {
    code = run_sweep(options->sweep, [&](std::size_t) {
      return std::make_unique<mpi::RankRunners>(own, ranks, std::chrono::seconds(options->silence_s));
    });
  });
}

/// Rank 0 reads the command line; the others do what it says.
int run_rank(int argc, char** argv, app::WorkerProcesses& own, mpi::Communicator& ranks) {
  if (ranks.rank() != 0) return serve(own, ranks) ? app::done : app::failed;
  const app::ProgramText text{"podsim-mpi", "podsim-mpi: studies of podsim on the ranks of an MPI job", ""};
  const int code = app::run_command_line(
      argc, argv, text,
      [&](CLI::App& program, const std::vector<std::string>&, int& result) { add_sweep(program, own, ranks, result); });
  const char* last = ranks.leaves_alone() ? mpi::message::leave : mpi::message::end;
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, last);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // Points are run in children of a process that has not started MPI, which does not like to be forked.
  app::WorkerProcesses own(1);
  std::optional<mpi::Communicator> ranks(std::in_place, argc, argv);
  const int code = run_rank(argc, argv, own, *ranks);
  ranks.reset();
  std::fflush(stdout);
  return code;
}
