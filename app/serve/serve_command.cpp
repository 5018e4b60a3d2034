// SPDX-License-Identifier: Apache-2.0
#include "app/serve/serve_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "app/options/compiler_option.h"
#include "app/options/flag_values.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/slice.h"
#include "app/run/run_command.h"
#include "app/serve/scenario_run.h"
#include "app/serve/serve_flags.h"
#include "app/serve/serve_options.h"
#include "app/serve/serve_output.h"
#include "app/serve/serve_run.h"
#include "app/serve/slices_run.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/interrupt.h"
#include "base/host/output_folder.h"
#include "base/host/standard_output.h"
#include "base/host/write_all.h"
#include "report/serving/scenario_report.h"
#include "report/serving/serving_report.h"
#include "report/serving/slices_report.h"

namespace podsim::app::serve {
namespace {

void add_model_flags(CLI::App& command, ServeOptions& options) {
  command
      .add_option("WORKLOAD", options.run.workload,
                  "The model: a Transformer of podsim run --help, whose requests\nhave tokens, or any other workload, "
                  "whose requests are samples")
      ->required()
      ->option_text(" ");
  command.add_option("--slice", options.run.slice, "Chips per dimension of a replica [1x1]")->option_text("AxB");
  options::add_machine_option(command, options.run.machine);
  options::add_set_option(command, options.run.machine);
  options::add_compiler_option(command, [&](const sw::driver::CompilerYear& of) { options.run.compiler = of; });
  options.run.partition.add_to(command);
}

void add_search_flags(CLI::App& command, ServeOptions& options) {
  static const std::vector<std::string> scenarios{"offline", "server", "single_stream", "multi_stream"};
  command
      .add_option_function<std::string>(
          "--scenario",
          [&options](const std::string& text) {
            options.scenario = Scenario(base::host::parse_choice("--scenario", text, "a scenario", scenarios));
          },
          "Of MLPerf's inference benchmark, without tokens: the greatest\nrate of samples; the highest rate of Poisson "
          "arrivals within\nthe limit of the benchmark or --slo; the latency of a sample;\nof 8")
      ->type_name(options::alternatives(scenarios))
      ->option_text("SCENARIO");
  command
      .add_option_function<std::string>(
          "--slices",
          [&options](const std::string& text) {
            options.walk_slices = text == "auto";
            for (std::size_t begin = 0; !options.walk_slices && begin <= text.size();) {
              const std::size_t end = std::min(text.find(',', begin), text.size());
              options.slices.push_back(text.substr(begin, end - begin));
              base::host::locate_errors("--slices", text, [&] { options::parse_sizes(options.slices.back()); });
              begin = end + 1;
            }
          },
          "Slices that serve the same requests one after another, such\nas 1x1,2x1,2x2: which is the smallest that "
          "meets --slo?\nauto: those of the machine from the fewest chips on, until\none meets it")
      ->option_text("AxB,...|auto");
  command
      .add_option_function<std::string>(
          "--slo-share",
          [&options](const std::string& text) {
            options.level_share = serving_number("--slo-share", text, "", 0, 1, "a share of one");
            base::host::locate_errors("--slo-share", text, [&] {
              if (*options.level_share > 0) return;
              throw base::InputError("every slice meets a level that no request has to meet", "above 0, such as 0.9");
            });
          },
          "Share of the requests that have to meet it [0.99]")
      ->option_text("SHARE");
}

void add_result_flags(CLI::App& command, ServeOptions& options) {
  command
      .add_option_function<std::string>(
          "--slo",
          [&options](const std::string& text) {
            options.level = workloads::serving::parse_service_level("--slo", text);
          },
          "What a request is asked for: 'ttft<500ms,tpot<50ms',\n'latency<100ms'; the requests that meet it are the "
          "goodput")
      ->option_text("LIMITS");
  add_time(
      command, "--warm-up", [&options](base::Duration time) { options.warm_up = time; },
      "Requests that arrive before this time are served, and not\ncounted [0 s]");
  options::add_limit_option(command);
  command.add_flag("--json", options.json, "One JSON object on stdout");
  command
      .add_option_function<std::string>(
          "-o,--output",
          [&options](const std::string& text) { options.result_folder = base::host::parse_path("-o", text); },
          "Folder for the figures, a row for each request, series over\ntime and report.html")
      ->option_text("DIR");
}

constexpr const char* serve_footer =
    R"(Steps are those of podsim run: WORKLOAD --inference, and for tokens --decode with the keys decode.*.

Examples:
  podsim serve resnet50 --slice 2x2 --rate 4000/s --seconds '10 s' --slo 'latency<15ms'
  podsim serve resnet50 --slice 2x2 --scenario server
  podsim serve gpt_6b --slice 2x2 --set model.parameter_type=bf16 --rate 2/s --slo 'ttft<2s,tpot<50ms'
  podsim serve gpt_6b --slice 2x2 --lengths azure_conversation --replicas 4 -o served
  podsim serve gpt_6b --slices auto --rate 4/s --slo 'ttft<200ms,tpot<12ms')";

}  // namespace

void add_serve(CLI::App& program, const std::vector<std::string>& words) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command =
      program.add_subcommand("serve", "Requests to slices that serve a model: times of requests, throughput")
          ->group("Commands");
  add_model_flags(*command, *options);
  add_load_flags(*command, *options);
  add_server_flags(*command, *options);
  add_search_flags(*command, *options);
  add_result_flags(*command, *options);
  command->footer(serve_footer);
  command->callback([options, &words] {
    options->run.build.model = options->run.machine.take_model_settings();
    if (options->level_share && !options->several_slices()) {
      throw base::InputError("--slo-share is of --slices", "add --slices 1x1,2x1,2x2");
    }
    if (options->scenario && options->several_slices()) {
      throw base::InputError("a scenario is of one slice", "leave out --slices");
    }
    if (options->scenario) {
      const report::serving::ScenarioReport report = run_scenario(*options);
      return base::host::print_result(options->json ? report::serving::scenario_json(report)
                                                    : report::serving::scenario_text(report));
    }
    if (options->several_slices()) {
      const report::serving::SlicesReport report = run_slices(*options);
      return base::host::print_result(options->json ? report::serving::slices_json(report)
                                                    : report::serving::slices_text(report));
    }
    std::optional<base::host::OutputFolder> folder;
    if (!options->result_folder.empty()) folder.emplace(options->result_folder);
    const report::serving::ServingReport report = run_serve(*options);
    base::host::protect_results();
    base::host::write_all({[&] {
                             base::host::print_result(options->json ? report::serving::serving_json(report)
                                                                    : report::serving::serving_text(report));
                           },
                           [&] {
                             if (folder) write_serving(folder->path(), report, run::recorded_command_line(words));
                           }});
  });
}

}  // namespace podsim::app::serve
