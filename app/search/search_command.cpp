// SPDX-License-Identifier: Apache-2.0
#include "app/search/search_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/options/slice.h"
#include "app/run/compiled_step.h"
#include "app/run/run_command.h"
#include "app/run/run_options.h"
#include "app/sweep/worker_processes.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/input_file.h"
#include "base/host/interrupt.h"
#include "base/host/standard_output.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "base/text/json_text.h"
#include "base/version.h"
#include "studies/search/search_report.h"
#include "studies/search/step_search.h"
#include "workloads/importers/importer.h"

namespace podsim::app::search {
namespace {

using Words = std::vector<std::string>;

struct SearchOptions {
  run::RunOptions run;  ///< the step as it is given
  std::size_t workers = std::max(std::thread::hardware_concurrency(), 1U);
  std::size_t points = 40;
  std::int64_t timeout_s = 20;
  std::string minimise, maximise;
  std::vector<std::string> at_most, at_least;
  std::string only;  ///< "shardings" or "flags"; empty: both
  std::string output;
  bool exhaustive = false;
  bool json = false;
};

constexpr std::array flags_with_value{"-j",         "-o",         "--points",  "--only",     "--timeout",
                                      "--minimise", "--maximise", "--at-most", "--at-least", "--limit"};

/// The words of `podsim run` behind the program's name, without the flags that are only of `search`.
Words words_of_run(const Words& words) {
  Words kept{"run"};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto is_joined = [&](const char* flag) {
      const std::string name(flag);
      return word.starts_with(name.starts_with("--") ? name + "=" : name);
    };
    if (std::ranges::find(flags_with_value, word) != flags_with_value.end()) {
      ++i;
    } else if (!word.starts_with("--json") && !word.starts_with("--exhaustive") &&
               std::ranges::none_of(flags_with_value, is_joined)) {
      kept.push_back(word);
    }
  }
  return kept;
}

const studies::plan::StudyMetric* metric_of(const std::string& flag, const std::string& name) {
  const studies::plan::StudyMetric* metric = studies::plan::find_metric("run", name);
  if (metric == nullptr) {
    base::host::locate_errors(flag, name, [&] {
      throw base::InputError(fmt::format("'{}' is not a number of podsim run --json", name),
                             "such as step_time_s or memory.peak_bytes_per_core");
    });
  }
  return metric;
}

/// The number that a text has from a position on.
double number_of(const std::string& flag, const std::string& text, std::size_t from) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + from, end, number);
  if (error != std::errc() || stop != end) {
    throw base::InputError({base::Diagnostic::Severity::error, "it is not a number",
                            base::host::argument_location(flag, text, from), "such as 8e9"});
  }
  return number;
}

studies::search::MetricLimit limit_of(const std::string& flag, const std::string& text, bool at_most) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    base::host::locate_errors(flag, text, [] { throw base::InputError("it is not METRIC=NUMBER"); });
  }
  studies::search::MetricLimit limit;
  limit.metric = metric_of(flag, text.substr(0, equals));
  limit.limit = number_of(flag, text, equals + 1);
  limit.at_most = at_most;
  return limit;
}

studies::search::Objective objective_of(const SearchOptions& options) {
  studies::search::Objective objective;
  objective.maximise = !options.maximise.empty();
  const std::string& name = objective.maximise ? options.maximise : options.minimise;
  if (!name.empty()) objective.metric = metric_of(objective.maximise ? "--maximise" : "--minimise", name);
  for (const std::string& text : options.at_most) objective.limits.push_back(limit_of("--at-most", text, true));
  for (const std::string& text : options.at_least) objective.limits.push_back(limit_of("--at-least", text, false));
  return objective;
}

/// The sizes of the axes of a mesh, which a search names itself.
std::vector<std::int64_t> sizes_of_mesh(const std::string& text) {
  const sw::placement::MeshText mesh = run::mesh_argument(text);
  std::vector<std::int64_t> sizes;
  for (const hlo::spmd::mesh::MeshAxis& axis : mesh.mesh.axes()) {
    if (axis.size > 1) sizes.push_back(axis.size);
  }
  base::host::locate_errors("--mesh", text, [&] {
    if (mesh.has_placements())
      throw base::InputError("a search chooses the positions of axes itself", "give their sizes alone");
    if (sizes.size() > sw::plans::most_axes) {
      throw base::InputError(fmt::format("a search divides by at most {} axes", sw::plans::most_axes));
    }
  });
  return sizes;
}

/// What is to be searched: a machine, a slice, and the program of all cores if its sharding is to be chosen.
class SearchedStep {
 public:
  explicit SearchedStep(const run::RunOptions& options)
      : config_(options.machine.load()), machine_(sw::read_target(config_)), probe_(options) {
    if (!options.partition.sharding.empty()) {
      chips_ = run::StepCompiler(options, machine_).slice().nodes();
      return;
    }
    if (!options.partition.mesh.empty()) mesh_ = sizes_of_mesh(options.partition.mesh);
    if (mesh_.empty() && !options.slice.empty()) {  // any mesh of the slice, not the one that the workload comes with
      const noc::Topology slice = options::parse_slice(options.slice, machine_);
      probe_.partition.mesh = fmt::format("a={}", slice.nodes() * machine_.cores_per_chip);
    }
    run::StepCompiler compiler(probe_, machine_);
    const noc::Topology slice = compiler.slice();
    chips_ = slice.nodes();
    std::optional<hlo::Module> module = compiler.take_whole_program();
    if (module) shardings_.emplace(*std::move(module), machine_, slice, mesh_);
  }

  std::int64_t chips() const { return chips_; }
  studies::search::ShardingCandidates* shardings() { return shardings_ ? &*shardings_ : nullptr; }
  const base::Config& config() const { return config_; }

 private:
  base::Config config_;
  sw::TargetMachine machine_;
  run::RunOptions probe_;
  std::vector<std::int64_t> mesh_;
  std::int64_t chips_ = 1;
  std::optional<studies::search::ShardingCandidates> shardings_;
};

/// Many chips are one chip while ways are compared, unless flags of the step say how it is simulated.
Words judge_of(const run::RunOptions& step, std::int64_t chips) {
  constexpr std::int64_t few = 16;
  const bool is_chosen = step.detail || !step.fold || step.one_chip || !step.real.empty() || step.banks;
  return chips <= few || is_chosen ? Words() : Words{"--fold", "all", "--detail", "replay"};
}

/// What a search is of, so that points of another one are not taken for its own.
studies::search::SearchIdentity identity_of(const Words& step, const base::Config& machine,
                                            const SearchOptions& options) {
  std::string content = base::short_build_id() + machine.to_toml();
  for (const std::string& file :
       {workloads::importers::file_of(options.run.workload), options.run.partition.sharding, options.run.costs}) {
    if (std::filesystem::is_regular_file(file)) content += base::host::read_input("WORKLOAD", file);
  }
  return {.command = "podsim " + base::host::shell_line(step), .content = base::sha256(content)};
}

/// "transformer-4x4-search" of a built-in workload, of a file by its name without what follows a point; without a slice
/// "transformer-search".
std::filesystem::path folder_of(const SearchOptions& options) {
  if (!options.output.empty()) return options.output;
  const std::string name = std::filesystem::path(options.run.workload).filename().string();
  const std::string slice = options.run.slice.empty() ? "" : "-" + options.run.slice;
  return name.substr(0, name.find('.')) + slice + "-search";
}

void check_exhaustive(const SearchOptions& options, const studies::search::SearchQuestion& question) {
  if (!options.exhaustive) return;
  if (options.only == "flags") throw base::InputError("--exhaustive is of shardings, --only flags searches none");
  if (question.shardings == nullptr) {
    throw base::InputError("--exhaustive: the sharding of this step is given, or it is the program of one core");
  }
  if (!question.shardings->ranked().all) {
    throw base::InputError("--exhaustive: the step has more than 5000 shardings", "give the axes with --mesh");
  }
}

int search(const SearchOptions& options, const Words& words, const MakeRunners& make_runners) {
  const std::atomic<bool>& stop = base::host::watch_for_interrupt();
  studies::search::SearchQuestion question;
  question.step = words_of_run(words);
  question.objective = objective_of(options);
  if (options.only != "shardings") question.choices = studies::search::flag_choices(question.step);
  question.points = options.points;
  question.timeout_s = options.timeout_s;
  // Before anything that is large, since workers are forks of this process.
  const std::unique_ptr<studies::sweep::PointRunners> runners = make_runners(options.workers);
  SearchedStep step(options.run);
  if (options.only != "flags") question.shardings = step.shardings();
  question.exhaustive = options.exhaustive;
  question.judge = judge_of(options.run, step.chips());
  check_exhaustive(options, question);
  if (options.exhaustive) question.points = question.shardings->ranked().plans.size() + options.points;
  question.sharded_updates = options.run.partition.shards_updates();
  const std::filesystem::path folder = folder_of(options);
  std::filesystem::create_directories(folder / "shardings");
  question.folder = folder / "shardings";
  if (options.run.op_cache.empty()) question.op_cache = folder / "ops.cache";
  studies::search::VisitedStore store(folder / "search.sqlite", identity_of(question.step, step.config(), options));
  base::Progress progress("searching");
  const studies::search::SearchOutcome outcome = studies::search::search_step(
      question, store, *runners, stop, [&](double share) { progress.update(std::min(share, 1.0)); });
  base::host::print_result(options.json
                               ? base::text::json_text(studies::search::search_json(question, outcome), 2) + "\n"
                               : studies::search::search_text(question, outcome));
  if (outcome.best) return base::host::done;
  const studies::sweep::Trial& given = outcome.visits.front().trial;
  std::cerr << (given.done ? "error: no way that was run keeps to the limits" : given.error) << '\n';
  return given.done ? base::host::failed : given.exit_code;
}

}  // namespace

void add_search(CLI::App& program, const Words& words, sweep::RunProgram run_program, int& code) {
  const auto processes = [run_program](std::size_t workers) {
    return std::make_unique<sweep::WorkerProcesses>(workers, run_program);
  };
  add_search(program, words, processes, code);
}

void add_search(CLI::App& program, const Words& words, MakeRunners make_runners, int& code) {
  auto options = std::make_shared<SearchOptions>();
  CLI::App* command =
      program.add_subcommand("search", "The fastest way to run a step: its sharding and its flags")->group("Commands");
  run::add_step_options(*command, options->run, "The step: a workload of podsim run --help");
  constexpr std::int64_t most_workers = 1024, most_points = 100'000;
  command
      ->add_option_function<std::string>(
          "-j",
          [options](const std::string& text) {
            options->workers = std::size_t(base::host::parse_whole_number("-j", text, 1, most_workers));
          },
          "Steps that run at the same time [as many as processors]")
      ->option_text("N");
  command
      ->add_option_function<std::string>(
          "--points",
          [options](const std::string& text) {
            options->points = std::size_t(base::host::parse_whole_number("--points", text, 1, most_points));
          },
          "Ways to run at most [40]")
      ->option_text("N");
  command
      ->add_option_function<std::string>(
          "--only",
          [options](const std::string& text) {
            const std::vector<std::string> kinds{"shardings", "flags"};
            options->only = kinds[base::host::parse_choice("--only", text, "what a search chooses", kinds)];
          },
          "shardings or flags alone [both]")
      ->option_text("WHAT");
  command->add_flag("--exhaustive", options->exhaustive,
                    "Run every sharding, if there are at most 5000, also those\nthat a lower bound rules out");
  command
      ->add_option_function<std::string>(
          "--timeout",
          [options](const std::string& text) {
            constexpr std::int64_t a_week = 7 * 24 * 3600;
            options->timeout_s = base::host::parse_whole_number("--timeout", text, 1, a_week);
          },
          "Seconds after which a way is given up [20]")
      ->option_text("S");
  CLI::Option* minimise =
      command->add_option("--minimise", options->minimise, "The number of --json that is to be least")
          ->option_text("METRIC");
  command
      ->add_option("--maximise", options->maximise,
                   "The number of --json that is to be greatest\n[samples_per_s, or else --minimise step_time_s]")
      ->option_text("METRIC")
      ->excludes(minimise);
  command->add_option("--at-most", options->at_most, "A limit of the best, such as\nmemory.peak_bytes_per_core=8e9")
      ->option_text("METRIC=N")
      ->allow_extra_args(false);
  command->add_option("--at-least", options->at_least, "Likewise")->option_text("METRIC=N")->allow_extra_args(false);
  command
      ->add_option("-o", options->output,
                   "Folder for what was run (search.sqlite) and for sharding\nfiles; a search that ended early goes on "
                   "there\n[WORKLOAD-SLICE-search]")
      ->option_text("FOLDER");
  options::add_limit_option(*command);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->footer(R"(A flag of podsim run that is given is not chosen.

Examples:
  podsim search transformer --slice 4x4
  podsim search dense_137b --slice 8x8 --points 60
  podsim search model.mlir --train adam --slice 4x4 -o best
  podsim search bert_large --slice 4x4 --at-most memory.peak_bytes_per_core=8e9)");
  command->callback([options, &words, make_runners = std::move(make_runners), &code] {
    options->run.build.model = options->run.machine.take_model_settings();
    code = search(*options, words, make_runners);
  });
}

}  // namespace podsim::app::search
