// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/options/algorithm_option.h"
#include "app/options/compiler_option.h"
#include "app/options/file_option.h"
#include "app/options/flag_values.h"
#include "app/options/limit_option.h"
#include "app/run/describe_workload.h"
#include "app/run/files/trip_counts.h"
#include "app/run/run.h"
#include "app/run/run_compare.h"
#include "app/run/run_lengths.h"
#include "app/run/run_options.h"
#include "app/run/run_topology.h"
#include "base/host/arguments.h"
#include "sw/runtime/detail.h"
#include "workloads/importers/importer.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

namespace podsim::app::run {
namespace {

std::string help_footer() {
  std::string text = "Workloads:\n";
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    text += fmt::format("  {:<23}{}\n", entry.name, entry.description);
  }
  return text + R"(
Examples:
  podsim run resnet50 --slice 4x4 --batch-per-core 128
  podsim run resnet50 --slice 128x32 --batch-per-core 8 --json
  podsim run step.hlo --slice 8x4 -o results
  podsim run model.mlir --train adam --parameters 'w*'
  podsim run net.py:resnet --train lars --set model.depth=50
  podsim run net.toml --slice 4x4 --set model.width=128
  podsim run ./libmynet.so --slice 4x4
  podsim run topology.csv --convention scale-sim
  podsim run resnet50 --set ici.link_rate='1.3 Tb/s' --set hbm.channels=32
  podsim run program.hlo --mesh 'x=4,y=8' --sharding cuts.toml --show-mesh
  podsim run resnet50 --slice 2x2 --batch-per-core 8 --vcd r.vcd --trace 'chip(0,0).*'
  podsim run resnet50 --loop 'steps=1252 eval=13'
  podsim run bert_large --slice 2x1 --stages 4 --micro-batches 16
  podsim run inception_v3 --slice 1x1 --place-operators 2 --batch-per-replica 8
  podsim run gnmt --lengths 'mean=26 sd=13 buckets=20,30,50'
  podsim run resnet50 --detail chip --chip-ops 'gradients/*')";
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : workloads::optimizer_kinds()) names.push_back(name);
  return names;
}

void add_step_flags(CLI::App& run, RunOptions& options) {
  constexpr std::int64_t max_samples = 1 << 20, max_steps = 1'000'000;
  run.add_option_function<std::string>(
         "--batch-per-core",
         [&options](const std::string& text) {
           options.build.batch_per_core = base::host::parse_whole_number("--batch-per-core", text, 1, max_samples);
         },
         "Samples per core and step [the workload's own, 128]")
      ->option_text("N");
  run.add_option_function<std::string>(
         "--optimizer",
         [&options](const std::string& text) {
           std::size_t chosen = base::host::parse_choice("--optimizer", text, "an optimizer", optimizer_names());
           options.build.optimizer = workloads::optimizer_kinds()[chosen].second;
         },
         "sgd_momentum, lars, adam, lamb, adafactor or rmsprop\n[the workload's own]")
      ->type_name(options::alternatives(optimizer_names()))
      ->option_text("NAME");
  run.add_option_function<std::string>(
         "--steps",
         [&options](const std::string& text) {
           options.steps = int(base::host::parse_whole_number("--steps", text, 1, max_steps));
         },
         "Steps to simulate; the last one is reported [2]")
      ->option_text("N");
}

void add_input_flag(CLI::App& run, RunOptions& options) {
  run.add_option_function<std::string>(
         "--input",
         [&options](const std::string& text) {
           options.input = base::host::parse_choice("--input", text, "on or off", {"on", "off"}) == 0;
         },
         "on: hosts read, decode and batch the samples as [input] of\nthe machine says, and a step waits for them; "
         "off: "
         "every batch\nis ready [off; on in a loop]")
      ->option_text("on|off");
}

void add_loop_flag(CLI::App& run, RunOptions& options) {
  run.add_option_function<std::string>(
         "--loop", [&options](const std::string& text) { options.loop = workloads::job::parse_loop(text); },
         "Also the time of a loop of steps on the device, with an\nevaluation of so many forward steps: 'steps=1252 "
         "eval=13'; with\ncheckpoint=N, a checkpoint after every N steps [none]")
      ->option_text("LOOP");
}

void add_detail_flags(CLI::App& run, RunOptions& options) {
  run.add_option("--detail", options.detail,
                 "tile: every op on every core as a pipeline of tiles\n"
                 "replay: each distinct op once, its duration wherever it\nrecurs\n"
                 "auto: one chip at tile, the others at replay\n"
                 "chip: as auto, the chip's transfers and the DMAs of its ops\n"
                 "in the last step through granules, on-chip switch and\nbanks of the HBM [auto]")
      ->type_name(options::alternatives({"auto", "tile", "replay", "chip"}))
      ->option_text("LEVEL");
  run.add_option("--real", options.real,
                 "At detail auto, chips at tile, such as 'chip(0,*)' [the\nfirst]; may be repeated")
      ->option_text("PATTERN")
      ->allow_extra_args(false);
  run.add_option("--chip-ops", options.chip_ops,
                 "At detail chip, the ops through granules, switch and banks,\n"
                 "such as 'gradients/*' [all]; may be repeated")
      ->option_text("PATTERN")
      ->allow_extra_args(false);
}

void add_simulation_flags(CLI::App& run, RunOptions& options) {
  run.add_option_function<std::string>(
         "--fold",
         [&options](const std::string& text) {
           const std::size_t choice = base::host::parse_choice("--fold", text, "on, off or all", {"on", "off", "all"});
           options.fold = choice != 1;
           options.one_chip = choice == 2;
         },
         "on: but for detail tile, simulate chips that do the same\nat the same time, and layers and trips of loops "
         "that repeat\nthemselves, once; off: simulate all; all: one chip for\nall, whose collectives take the time "
         "that they take alone\n[on]")
      ->option_text("on|off|all");
  static const std::vector<std::string> overlaps{"none", "collectives"};
  run.add_option_function<std::string>(
         "--overlap",
         [&options](const std::string& text) {
           using enum sw::compiler::Overlap;
           options.overlap = std::array{
               none, collectives}[base::host::parse_choice("--overlap", text, "a kind of overlap", overlaps)];
         },
         "collectives: all-reduces, reduce-scatters and all-gathers\noverlap with other work; none: only what the "
         "program itself\nstarts [none]")
      ->type_name(options::alternatives(overlaps))
      ->option_text("WHAT");
  run.add_option_function<std::string>(
         "--contention",
         [&options](const std::string& text) {
           options.contention = base::host::parse_choice("--contention", text, "on or off", {"on", "off"}) == 0;
         },
         "on: transfers concurrent with an op share the HBM with it;\noff: each has the HBM to itself [on]")
      ->option_text("on|off");
  const std::vector<std::string> algorithms = options::algorithm_names();
  run.add_option_function<std::string>(
         "--algorithm",
         [&options, names = algorithms](const std::string& text) {
           const std::size_t chosen = base::host::parse_choice("--algorithm", text, "an algorithm", names);
           if (chosen > 0) options.algorithm = sw::collectives::algorithms()[chosen - 1];
         },
         "Of the collectives that it can do: ring, one-way-ring, line,\ny-then-x, two-colour, rotated or direct [auto: "
         "the one modelled fastest]" +
             options::registered_algorithms())
      ->type_name(options::alternatives(algorithms))
      ->option_text("NAME");
}

void add_fault_flags(CLI::App& command, RunOptions& options) {
  options::add_fault_option(command, options.faults);
  options::add_fault_seed_option(command, options.faults);
}

void add_memory_flag(CLI::App& run, RunOptions& options) {
  static const std::vector<std::string> memory_levels{"stream", "bank"};
  run.add_option_function<std::string>(
         "--memory",
         [&options](const std::string& text) {
           options.banks = base::host::parse_choice("--memory", text, "a level of the memory", memory_levels) == 1;
         },
         "stream: HBM at the rates that its banks sustain;\nbank: the ten hottest ops once more, bank by bank [stream]")
      ->type_name(options::alternatives(memory_levels))
      ->option_text("LEVEL");
}

void add_cache_flag(CLI::App& run, RunOptions& options) {
  options::add_file_option(
      run, "--op-cache", options.op_cache,
      "File that keeps what ops cost, for runs with the same ops on\nthe same cores; several may use it at once "
      "[none]");
}

void add_partition_flags(CLI::App& run, RunOptions& options) {
  static const std::vector<std::string> policies{"auto", "none", "dots", "unbatched-dots", "layer"};
  options.partition.add_to(run);
  run.add_option_function<std::string>(
         "--rematerialise",
         [&options](const std::string& text) {
           using enum hlo::transform::Rematerialisation;
           const std::size_t chosen = base::host::parse_choice("--rematerialise", text, "a policy", policies);
           if (chosen > 0) options.partition.rematerialise = std::array{none, dots, unbatched_dots, layer}[chosen - 1];
         },
         "What is computed once more for the gradients: none, all but\nthe products (dots), all but those without "
         "batch "
         "dimensions\n(unbatched-dots), or whole layers (layer) [auto: single ops\nwhose results free most, else the "
         "first that fits the memory]")
      ->type_name(options::alternatives(policies))
      ->option_text("POLICY");
  run.add_option("--weight-update-sharding", options.partition.weight_update_sharding,
                 "Each core updates a shard of the weights that it would\nupdate whole: along all axes of the mesh "
                 "(on), those named, or\nas makes the step fastest (auto) [off]")
      ->option_text("on|off|auto|AXES");
}

void add_mesh_outputs(CLI::App& run, RunOptions& options) {
  run.add_flag("--show-mesh", options.show_mesh, "Where the axes of the mesh lie on the slice, as text");
  run.add_option("--compare", options.compare, "Run with each of two sharding files and print both")
      ->option_text("FILE FILE")
      ->expected(2)
      ->excludes("--sharding");
}

void add_pipeline_flags(CLI::App& run, RunOptions& options) {
  options.pipeline.add_to(run);
  for (const char* flag : {"--stages", "--schedule"}) {
    for (const char* other : {"--mesh", "--sharding", "--weight-update-sharding", "--windowed-einsum", "--compare",
                              "--show-mesh", "--inference", "--decode", "--loop", "--lengths", "--describe"}) {
      run.get_option(flag)->excludes(run.get_option(other));
    }
  }
}

void add_operator_flags(CLI::App& run, RunOptions& options) {
  options.operators.add_to(run);
  for (const char* other : {"--stages", "--schedule", "--mesh", "--sharding", "--weight-update-sharding",
                            "--windowed-einsum", "--rematerialise", "--overlap", "--compare", "--show-mesh", "--loop",
                            "--decode", "--lengths", "--describe", "--contention", "--algorithm"}) {
    run.get_option("--place-operators")->excludes(run.get_option(other));
  }
}

void add_inference_flag(CLI::App& run, RunOptions& options) {
  run.add_flag("--inference", options.build.inference,
               "A forward pass alone, up to what the network says, without\ndropout and with batch norms folded into "
               "their kernels [the\nwhole step]")
      ->excludes("--optimizer")
      ->excludes("--rematerialise")
      ->excludes("--weight-update-sharding");
  run.add_option_function<std::string>(
         "--weights",
         [&options](const std::string& text) {
           base::host::locate_errors("--weights", text,
                                     [&] { options.weights = hlo::weights::parse_weight_type(text); });
         },
         "Type of the weights of inference: bf16, or int8, int4 or fp8 with\na scale for each output channel or, as in "
         "int4:group=128, for\neach group of inputs too [as in the program]")
      ->option_text("TYPE");
}

void add_decode_flag(CLI::App& run, RunOptions& options) {
  CLI::Option* decode = run.add_flag_function(
      "--decode", [&options](std::int64_t) { options.build.decode = options.build.inference = true; },
      "A step of a decoder with a cache of keys and values: a prefill, or\nthe next token of every sequence, as the "
      "keys "
      "decode.* say [the\nwhole step]");
  for (const char* other : {"--inference", "--optimizer", "--rematerialise", "--weight-update-sharding", "--train"}) {
    decode->excludes(other);
  }
}

CLI::Option* add_folder_flag(CLI::App& run, RunOptions& options, const char* what) {
  return run
      .add_option_function<std::string>(
          "-o,--output", [&options](const std::string& text) { options.output = base::host::parse_path("-o", text); },
          what)
      ->option_text("DIR");
}

void add_output_flags(CLI::App& run, RunOptions& options) {
  options::add_limit_option(run);
  run.add_flag("--json", options.json, "One JSON object on stdout");
  run.add_flag("--describe", options.describe,
               "Say what the workload is in place of a run: its size, keys, and\nwhat it leaves out of the published "
               "network");
  auto* folder = add_folder_flag(
      run, options,
      "Folder for the figures (stats.json, summary.txt), the ops\n(ops.csv), a timeline for ui.perfetto.dev "
      "and the machine");
  run.add_flag(
         "--chakra", options.chakra,
         "Also an execution trace of the last step for each core, in\nchakra/ of that folder (podsim trace check)")
      ->needs(folder);
  auto* vcd = options::add_file_option(run, "--vcd", options.vcd,
                                       "Waveform of the run, with a GTKWave save file (.gtkw)\nbeside it");
  run.add_option("--trace", options.trace,
                 "Signals in the waveform, such as 'chip(0,0).*' [all]; may\nbe repeated; needs --vcd")
      ->option_text("PATTERN")
      ->needs(vcd)
      ->allow_extra_args(false);
}

void add_lengths_flag(CLI::App& run, RunOptions& options) {
  CLI::Option* lengths = run.add_option_function<std::string>(
      "--lengths",
      [&options](const std::string& text) {
        options.lengths = workloads::lengths::parse_lengths(text);
        options.lengths_text = text;
      },
      "Steps whose samples vary in length, by a log-normal law or\nthe counts of a file, in buckets or packed: "
      "'mean=26 "
      "sd=13\nbuckets=20,30,50' or 'counts=FILE'; also most=N, steps=N\nand seed=N. Prints mean and spread of "
      "the "
      "step [none]");
  lengths->option_text("LENGTHS");
  for (const char* flag :
       {"--compare", "--describe", "--loop", "--output", "--vcd", "--show-mesh", "--fault", "--decode"}) {
    lengths->excludes(run.get_option(flag));
  }
}

CLI::App& declare_run(CLI::App& program, RunOptions& options) {
  CLI::App* run = program.add_subcommand("run", "Simulate steps of a workload on a slice of chips")->group("Commands");
  add_step_options(*run, options,
                   "What to run: one of those below, a file of HLO or StableHLO\ntext, a function of a Python file "
                   "(net.py:resnet), a page of\nlayers (net.toml) or a library that writes one (libnet.so), or\na "
                   "SCALE-Sim topology (.csv), layer by layer on one core");
  add_loop_flag(*run, options);
  for (const char* flag : {"--inference", "--decode"}) run->get_option("--loop")->excludes(flag);
  add_detail_flags(*run, options);
  add_fault_flags(*run, options);
  add_memory_flag(*run, options);
  add_mesh_outputs(*run, options);
  add_output_flags(*run, options);
  run->get_option("--chakra")->excludes("--fault");  // a trace has the ops of one core for all
  add_lengths_flag(*run, options);
  add_pipeline_flags(*run, options);
  add_operator_flags(*run, options);
  add_topology_flags(*run, options);
  run->footer(help_footer());
  return *run;
}

double number_of(const char* flag, const std::string& text, double least, double most, const char* what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  base::host::locate_errors(flag, text, [&] {
    if (!is_number || !(value >= least && value <= most))
      throw base::InputError(fmt::format("'{}' is not {}", text, what), fmt::format("from {:g} to {:g}", least, most));
  });
  return value;
}

void add_length_flags(CLI::App& train, TrainOptions& options) {
  constexpr std::int64_t max_steps = 1'000'000'000;
  auto* epochs = train.add_option_function<std::string>(
      "--epochs",
      [&options](const std::string& text) {
        options.epochs = number_of("--epochs", text, 1e-6, 1e6, "a number of epochs");
      },
      "Epochs to train [as published for the batch]");
  epochs->option_text("N");
  train
      .add_option_function<std::string>(
          "--train-steps",
          [&options](const std::string& text) {
            options.steps = base::host::parse_whole_number("--train-steps", text, 1, max_steps);
          },
          "Steps to train, in place of epochs")
      ->option_text("N")
      ->excludes(epochs);
}

void add_spread_flags(CLI::App& train, TrainOptions& options) {
  constexpr std::int64_t max_runs = 100'000;
  train
      .add_option_function<std::string>(
          "--runs",
          [&options](const std::string& text) {
            options.runs = base::host::parse_whole_number("--runs", text, 1, max_runs);
          },
          "Trainings whose epochs vary: their mean and spread [1, which\ndoes not vary]")
      ->option_text("N");
  train
      .add_option_function<std::string>(
          "--seed",
          [&options](const std::string& text) {
            options.seed =
                std::uint64_t(base::host::parse_whole_number("--seed", text, 0, std::numeric_limits<int>::max()));
          },
          "Of what they vary by [1]")
      ->option_text("N");
  train
      .add_option_function<std::string>(
          "--spread",
          [&options](const std::string& text) {
            options.spread = number_of("--spread", text, 0, 1, "a standard deviation over a mean");
          },
          "Standard deviation of the epochs over their mean [0.064 for\nimages, 0.188 for others]")
      ->option_text("X");
}

void add_training_flags(CLI::App& train, RunOptions& options) {
  static const std::vector<std::string> clients{"one", "per-host"};
  constexpr std::int64_t max_steps = 10'000'000;
  train
      .add_option_function<std::string>(
          "--clients",
          [&options](const std::string& text) {
            using enum workloads::job::Clients;
            options.train->clients =
                std::array{one, per_host}[base::host::parse_choice("--clients", text, "a number of clients", clients)];
          },
          "one: one client builds the graph of all hosts; per-host: each\nhost has its own [per-host]")
      ->type_name(options::alternatives(clients))
      ->option_text("WHO");
  add_length_flags(train, *options.train);
  auto* every = train.add_option_function<std::string>(
      "--evaluate-every",
      [&options](const std::string& text) {
        options.train->between_evaluations = number_of("--evaluate-every", text, 1e-3, 1e6, "a number of epochs");
      },
      "Epochs of a loop, with an evaluation of all samples at its\nend [as published for the workload, or 4]");
  every->option_text("N");
  auto* loop = train.add_option_function<std::string>(
      "--loop", [&options](const std::string& text) { options.loop = workloads::job::parse_loop(text); },
      "Loop of steps, as in podsim run, in place of epochs");
  loop->option_text("LOOP")->excludes(every);
  train
      .add_option_function<std::string>(
          "--checkpoint",
          [&options](const std::string& text) {
            options.train->checkpoint_steps = base::host::parse_whole_number("--checkpoint", text, 1, max_steps);
          },
          "A checkpoint after every N steps of a loop [none]")
      ->option_text("N")
      ->excludes(loop);
  train.add_flag("--restore", options.train->restore, "Begin with a checkpoint in place of initial weights");
  add_spread_flags(train, *options.train);
}

CLI::App& declare_train(CLI::App& program, RunOptions& options) {
  CLI::App* train =
      program.add_subcommand("train", "Add up the time to train a workload: start, loops of steps, evaluations")
          ->group("Commands");
  add_job_options(*train, options, "What to train: a workload of podsim run --help");
  add_training_flags(*train, options);
  add_fault_flags(*train, options);
  options::add_limit_option(*train);
  train->add_flag("--json", options.json, "One JSON object on stdout");
  add_folder_flag(*train, options, "Folder as of podsim run, with the job over time (job.json)\nand in its report");
  train->footer(R"(
Examples:
  podsim train resnet50 --slice 4x4
  podsim train resnet50 --slice 32x16 --batch-per-core 32
  podsim train resnet50 --slice 128x32 --batch-per-core 8 --clients one --epochs 88
  podsim train resnet50 --slice 4x4 --runs 5 --checkpoint 626
  podsim train bert_large --batch-per-core 14 --train-steps 7000 --loop 'steps=1117')");
  return *train;
}

void finish_options(const CLI::App& run, RunOptions& options) {
  if (options.weights && !options.build.inference) {
    throw base::InputError("--weights is of --inference and --decode: a step that trains has its own types");
  }
  check_topology_flags(run, options);
  options.build.model = options.machine.take_model_settings();
}

}  // namespace

void add_step_options(CLI::App& command, RunOptions& options, const char* workload) {
  command.add_option("WORKLOAD", options.workload, workload)->required()->option_text(" ");
  command
      .add_option("--slice", options.slice,
                  "Chips per dimension, up to 128x32 on tpu-v3 [4x4; of a\nfile or mesh, as many cores as it has "
                  "devices; of a\npipeline, as many as stages]")
      ->option_text("AxB");
  options::add_machine_option(command, options.machine);
  options::add_set_option(command, options.machine);
  add_step_flags(command, options);
  add_input_flag(command, options);
  add_simulation_flags(command, options);
  options::add_compiler_option(command, [&](const sw::driver::CompilerYear& of) { options.compiler = of; });
  add_cache_flag(command, options);
  add_partition_flags(command, options);
  add_inference_flag(command, options);
  options.training.add_to(command);
  add_decode_flag(command, options);
  files::add_trips_option(command, options.trips);
  options::add_file_option(command, "--costs", options.costs,
                           "What custom calls of a file cost, by target and shapes (TOML)\n[the bytes that they move]");
}

void add_job_options(CLI::App& command, RunOptions& options, const char* workload) {
  command.add_option("WORKLOAD", options.workload, workload)->required()->option_text(" ");
  command.add_option("--slice", options.slice, "Chips per dimension [4x4]")->option_text("AxB");
  options::add_machine_option(command, options.machine);
  options::add_set_option(command, options.machine);
  add_step_flags(command, options);
  add_input_flag(command, options);
  options::add_compiler_option(command, [&](const sw::driver::CompilerYear& of) { options.compiler = of; });
  add_cache_flag(command, options);
  options.partition.add_to(command);
}

std::optional<RunOptions> step_options(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != "run") return std::nullopt;
  RunOptions options;
  CLI::App program;
  CLI::App& run = declare_run(program, options);
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
    finish_options(run, options);
  } catch (const CLI::ParseError&) {
    return std::nullopt;
  } catch (const base::InputError&) {
    return std::nullopt;
  }
  if (!workloads::importers::is_step(options.workload) || !options.compare.empty()) return std::nullopt;
  if (options.describe || options.lengths) return std::nullopt;
  return options;
}

std::optional<RunOptions> job_options(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != "train") return step_options(words);
  RunOptions options;
  options.train.emplace();
  CLI::App program;
  declare_train(program, options);
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
    options.build.model = options.machine.take_model_settings();
  } catch (const CLI::ParseError&) {
    return std::nullopt;
  } catch (const base::InputError&) {
    return std::nullopt;
  }
  return options;
}

std::string recorded_command_line(const std::vector<std::string>& words) {
  constexpr std::array with_value{"-o", "--output", "--op-cache"};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::find(with_value, words[i]) != with_value.end()) {
      ++i;
      continue;
    }
    const bool left_out = words[i].starts_with("-o") || words[i].starts_with("--output=") ||
                          words[i].starts_with("--op-cache=") || words[i] == "--json" || words[i] == "--chakra";
    if (!left_out) kept.push_back(words[i]);
  }
  return base::host::shell_line(kept);
}

void add_run(CLI::App& program, const std::vector<std::string>& words, int& code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& run = declare_run(program, *options);
  run.callback([options, &run, &words, &code] {
    finish_options(run, *options);
    if (options->describe) {
      describe_workload(*options);
    } else if (options->lengths) {
      code = run_lengths(*options);
    } else if (!workloads::importers::is_step(options->workload)) {
      code = run_topology(*options);
    } else if (!options->compare.empty()) {
      code = compare_shardings(*options);
    } else {
      SharedWork alone;
      alone.advises = true;
      code = run_workload(*options, recorded_command_line(words), std::move(alone));
    }
  });
}

void add_train(CLI::App& program, const std::vector<std::string>& words, int& code) {
  auto options = std::make_shared<RunOptions>();
  options->train.emplace();
  CLI::App& train = declare_train(program, *options);
  train.callback([options, &words, &code] {
    options->build.model = options->machine.take_model_settings();
    code = run_workload(*options, recorded_command_line(words));
  });
}

}  // namespace podsim::app::run
