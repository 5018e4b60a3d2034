// SPDX-License-Identifier: Apache-2.0
#include "app/whatif/whatif_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "app/options/file_option.h"
#include "app/options/flag_values.h"
#include "app/options/limit_option.h"
#include "app/run/run_command.h"
#include "app/run/run_options.h"
#include "app/sweep/worker_processes.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "base/progress.h"
#include "base/text/json_text.h"
#include "studies/sweep/trials.h"
#include "studies/whatif/gains.h"

namespace podsim::app::whatif {
namespace {

using Words = std::vector<std::string>;

struct WhatifOptions {
  run::RunOptions run;  ///< the step as it is
  std::size_t workers = std::max(std::thread::hardware_concurrency(), 1U);
  bool json = false;
  std::string svg;
  studies::whatif::Measure by = studies::whatif::Measure::rate;
};

/// The words of `podsim run` behind the program's name, without the flags that are only of `whatif`.
Words words_of_run(const Words& words) {
  constexpr std::array with_value{"-j", "--svg", "--limit", "--by"};
  Words kept{"run"};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (std::ranges::find(with_value, word) != with_value.end()) {
      ++i;
    } else if (word != "--json" && !word.starts_with("-j") && !word.starts_with("--svg=") &&
               !word.starts_with("--limit=") && !word.starts_with("--by=")) {
      kept.push_back(word);
    }
  }
  return kept;
}

/// The words with a change in place of an earlier value of its flag.
Words with(const Words& words, const studies::whatif::Change& change) {
  const std::string& flag = change.arguments.front();
  Words changed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (flag != "--set" && words[i] == flag) {
      ++i;
    } else if (flag == "--set" || !words[i].starts_with(flag + "=")) {
      changed.push_back(words[i]);
    }
  }
  changed.insert(changed.end(), change.arguments.begin(), change.arguments.end());
  return changed;
}

std::string command_of(const Words& words) {
  Words all{"podsim"};
  all.insert(all.end(), words.begin(), words.end());
  return base::host::shell_line(all);
}

/// Samples of a core in a step; 0 if they are not known, or not the same for all.
std::int64_t batch_per_core(const nlohmann::ordered_json& step) {
  const std::int64_t batch = step.value("batch_per_core", std::int64_t(0));
  const std::int64_t samples = step.value("samples_per_step", std::int64_t(0));
  const std::int64_t cores = step.value("cores", std::int64_t(1));
  return batch > 0 || samples % cores != 0 ? batch : samples / cores;
}

void print(const WhatifOptions& options, const studies::whatif::Gains& gains) {
  if (!options.svg.empty()) base::host::write_file(options.svg, studies::whatif::gains_svg(gains));
  base::host::print_result(options.json ? base::text::json_text(studies::whatif::gains_json(gains), 2) + "\n"
                                        : studies::whatif::gains_text(gains));
}

int find_gains(const WhatifOptions& options, const Words& words, sweep::RunProgram run_program) {
  const base::Config machine = options.run.machine.load();
  const std::atomic<bool>& stop = base::host::watch_for_interrupt();
  sweep::WorkerProcesses runners(options.workers, run_program);
  const Words step = words_of_run(words);
  const studies::sweep::Trial as_it_is = studies::sweep::run_trials({step}, runners, 0, stop, [](std::size_t) {})[0];
  if (!as_it_is.done) {
    std::cerr << as_it_is.error << '\n';
    return as_it_is.exit_code;
  }
  std::vector<studies::whatif::Change> changes = studies::whatif::resource_changes(machine);
  for (studies::whatif::Change& change : studies::whatif::choice_changes(step, batch_per_core(as_it_is.figures))) {
    changes.push_back(std::move(change));
  }
  std::vector<Words> commands;
  for (const studies::whatif::Change& change : changes) commands.push_back(with(step, change));
  base::Progress progress("changing one thing at a time");
  const std::vector<studies::sweep::Trial> trials = studies::sweep::run_trials(
      commands, runners, 0, stop, [&](std::size_t ended) { progress.update(double(ended) / double(commands.size())); });
  studies::whatif::Gains gains{.by = options.by, .command = command_of(step), .figures = as_it_is.figures, .of = {}};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    studies::whatif::add_gain(gains, std::move(changes[i]), command_of(commands[i]), trials[i]);
  }
  print(options, gains);
  return base::host::done;
}

}  // namespace

void add_whatif(CLI::App& program, const Words& words, sweep::RunProgram run_program, int& code) {
  auto options = std::make_shared<WhatifOptions>();
  CLI::App* command =
      program.add_subcommand("whatif", "The gain of twice and half of each resource of a step, and of each choice")
          ->group("Commands");
  run::add_step_options(*command, options->run, "The step that is changed: a workload of podsim run --help");
  command
      ->add_option_function<std::string>(
          "-j",
          [options](const std::string& text) {
            constexpr std::int64_t most = 1024;
            options->workers = std::size_t(base::host::parse_whole_number("-j", text, 1, most));
          },
          "Steps that run at the same time [as many as processors]")
      ->option_text("N");
  static const std::vector<std::string> measures{"rate", "energy"};
  command
      ->add_option_function<std::string>(
          "--by",
          [options](const std::string& text) {
            options->by = studies::whatif::Measure(base::host::parse_choice("--by", text, "a measure", measures));
          },
          "What a gain is of: samples per second (rate) or\nper joule (energy) [rate]")
      ->type_name(options::alternatives(measures))
      ->option_text("MEASURE");
  options::add_limit_option(*command);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*command, "--svg", options->svg, "The gains as a bar chart");
  command->footer(R"(Every row is a run: --json has its command line.

Examples:
  podsim whatif resnet50 --slice 4x4
  podsim whatif bert_large --slice 16x16 --batch-per-core 4 --svg gains.svg
  podsim whatif step.hlo --slice 8x4 --json)");
  command->callback([options, &words, run_program, &code] {
    options->run.build.model = options->run.machine.take_model_settings();
    code = find_gains(*options, words, run_program);
  });
}

}  // namespace podsim::app::whatif
