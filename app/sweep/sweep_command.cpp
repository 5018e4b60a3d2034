// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "app/options/flag_values.h"
#include "app/options/limit_option.h"
#include "app/sweep/slurm_batch.h"
#include "app/sweep/sweep.h"
#include "base/host/arguments.h"

namespace podsim::app::sweep {
namespace {

constexpr std::int64_t max_workers = 1024, max_tasks = 1'000'000, longest_timeout_s = 100'000'000;

struct SweepCommand {
  SweepOptions sweep;
  std::size_t workers = std::max(std::thread::hardware_concurrency(), 1U);
  bool emit = false;      ///< writes batch files for SLURM
  std::size_t tasks = 0;  ///< number of tasks of the array; 0: by the number of points
};

void add_flags(CLI::App& command, const std::shared_ptr<SweepCommand>& options) {
  add_sweep_flags(command, options->sweep);
  command
      .add_option_function<std::string>(
          "-j",
          [options](const std::string& text) {
            options->workers = std::size_t(base::host::parse_whole_number("-j", text, 1, max_workers));
          },
          "Points that run at the same time [as many as processors]")
      ->option_text("N");
  options::add_limit_option(command);
  auto* emit = command.add_option_function<std::string>(
      "--emit",
      [options](const std::string& text) {
        base::host::parse_choice("--emit", text, "a batch system", {"slurm"});
        options->emit = true;
      },
      "Run nothing: write batch files for SLURM into the folder, an\narray whose tasks are shards, and what finishes "
      "it");
  emit->type_name(options::alternatives({"slurm"}))
      ->option_text("slurm")
      ->excludes("--shard", "--dry-run", "--resume", "--json", "--limit");
  command
      .add_option_function<std::string>(
          "--tasks",
          [options](const std::string& text) {
            options->tasks = std::size_t(base::host::parse_whole_number("--tasks", text, 1, max_tasks));
          },
          "Of the array of --emit [one for 64 points]")
      ->option_text("N")
      ->needs(emit);
}

}  // namespace

void add_sweep_flags(CLI::App& command, SweepOptions& options) {
  command.add_option("STUDY", options.study, "A study file (.toml), or the name of a study that the program\ncarries")
      ->required()
      ->option_text(" ");
  command
      .add_option_function<std::string>(
          "-o,--output", [&options](const std::string& text) { options.output = base::host::parse_path("-o", text); },
          "Folder for the database and what goes with it [the study's\nname]")
      ->option_text("DIR");
  command
      .add_option_function<std::string>(
          "--shard", [&options](const std::string& text) { options.shard = studies::sweep::parse_shard(text); },
          "Only the k-th of N parts of the points; the parts may run at\nthe same time, on many hosts, on one folder")
      ->option_text("k/N");
  command.add_flag("--resume", options.resume,
                   "Only go on with a sweep that was begun in the folder (points\nthat are done are never run again)");
  command.add_flag("--rerun", options.rerun, "Run points again that another build of podsim has run");
  command
      .add_option_function<std::string>(
          "--timeout",
          [&options](const std::string& text) {
            options.timeout_s = base::host::parse_whole_number("--timeout", text, 1, longest_timeout_s);
          },
          "Time limit of a point; a point beyond it has failed, the others continue\n[none]")
      ->option_text("SECONDS");
  command.add_flag("--dry-run", options.dry_run, "Print the points as command lines and run nothing");
  command.add_flag(
      "--yes", options.yes,
      "Run more than 100,000 points, and remove points whose inputs\nhave changed or that the study has no more");
  command.add_flag("--json", options.json, "One JSON object on stdout");
}

void add_sweep(CLI::App& program, RunProgram run_program, int& code) {
  auto options = std::make_shared<SweepCommand>();
  CLI::App* command =
      program.add_subcommand("sweep", "Run a study: many runs that differ along axes")->group("Commands");
  add_flags(*command, options);
  command->footer(R"(Points that are done stay done: after a Ctrl-C, a crash or a failure the same
command runs the rest. docs/studies.md describes studies and their database.

Examples:
  podsim sweep study.toml -j 8
  podsim sweep study.toml --dry-run
  podsim sweep study.toml --timeout 600
  podsim sweep study.toml --shard 3/16 -o /shared/study
  podsim sweep study.toml --emit slurm -o /shared/study)");
  command->callback([options, run_program, &code] {
    if (options->emit) return emit_slurm(options->sweep, options->tasks);
    code = run_sweep(options->sweep, [&](std::size_t points) {
      return std::make_unique<WorkerProcesses>(std::min(options->workers, points), run_program);
    });
  });
}

}  // namespace podsim::app::sweep
