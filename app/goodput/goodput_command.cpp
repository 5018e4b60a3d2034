// SPDX-License-Identifier: Apache-2.0
#include "app/goodput/goodput_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <memory>
#include <string>

#include "app/goodput/goodput_options.h"
#include "app/goodput/goodput_run.h"
#include "app/options/flag_values.h"
#include "app/options/limit_option.h"
#include "app/run/run_command.h"
#include "base/diagnostic.h"
#include "base/dimensional.h"
#include "base/host/arguments.h"
#include "base/host/interrupt.h"
#include "base/host/standard_output.h"
#include "report/goodput_report.h"

namespace podsim::app::goodput {
namespace {

constexpr double fewest_days = 1e-3, most_days = 3650;

double parse_days(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  base::host::locate_errors("--days", text, [&] {
    if (is_number && value >= fewest_days && value <= most_days) return;
    throw base::InputError(fmt::format("'{}' is not a number of days", text),
                           fmt::format("from {:g} to {:g}", fewest_days, most_days));
  });
  return value;
}

std::optional<base::Duration> parse_interval(const std::string& text) {
  if (text == "best") return std::nullopt;
  if (text.empty() || !base::looks_dimensional(text)) {
    static_cast<void>(
        base::host::parse_choice("--checkpoint-every", text, "a time such as '30 min', or best", {"best"}));
  }
  const base::Dimensional value =
      base::parse_dimensional(text, base::host::argument_location("--checkpoint-every", text));
  base::host::locate_errors("--checkpoint-every", text, [&] {
    const bool is_time = value.kind == base::Dimensional::Kind::duration;
    if (is_time && value.si >= 1e-3 && value.si <= most_days * 86'400) return;
    throw base::InputError("'" + text + "' is not a time from 1 ms to 3650 days", "such as '30 min', or best");
  });
  return base::Duration(value.si);
}

void add_job_flags(CLI::App& command, GoodputOptions& options) {
  constexpr std::int64_t most_seeds = 100'000, most_spares = 65'536;
  command
      .add_option_function<std::string>(
          "--days", [&options](const std::string& text) { options.days = parse_days(text); },
          "Days that the job has [30]")
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--seeds",
          [&options](const std::string& text) {
            options.seeds.count = base::host::parse_whole_number("--seeds", text, 1, most_seeds);
          },
          "Jobs with failures of their own: their mean and spread [100]")
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--seed",
          [&options](const std::string& text) {
            options.seeds.seed =
                std::uint64_t(base::host::parse_whole_number("--seed", text, 0, std::numeric_limits<int>::max()));
          },
          "Of the first of them; the next has the next one [1]")
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--checkpoint-every",
          [&options](const std::string& text) { options.checkpoint_every = parse_interval(text); },
          "Work from one checkpoint to the next, such as '30 min', or\nbest: the interval with the greatest goodput "
          "[best]")
      ->option_text("TIME|best");
  command
      .add_option_function<std::string>(
          "--spares",
          [&options](const std::string& text) {
            options.spares = base::host::parse_whole_number("--spares", text, 0, most_spares);
          },
          "Hosts with their chips that take over for broken ones [0]")
      ->option_text("N");
}

void add_policy_flags(CLI::App& command, GoodputOptions& options) {
  static const std::vector<std::string> policies{"reslice", "wait"};
  command
      .add_option_function<std::string>(
          "--without-spare",
          [&options](const std::string& text) {
            const bool waits = base::host::parse_choice("--without-spare", text, "a policy", policies) == 1;
            options.without_spare =
                waits ? workloads::goodput::WithoutSpare::wait : workloads::goodput::WithoutSpare::reslice;
          },
          "reslice: go on with a smaller slice, or around a dead link,\nuntil the repair; wait: for the repair "
          "[reslice]")
      ->type_name(options::alternatives(policies))
      ->option_text("POLICY");
  command
      .add_option_function<std::string>(
          "--checks",
          [&options](const std::string& text) {
            options.checks = base::host::parse_choice("--checks", text, "on or off", {"on", "off"}) == 0;
          },
          "on: a step runs twice before a checkpoint, which may show a\nchip that computes wrong results [on]")
      ->option_text("on|off");
  command.add_flag("--verdicts", options.verdicts,
                   "Also what remains of the slice without each of its chips,\nlinks and hosts");
}

constexpr const char* goodput_footer =
    R"(Failures are drawn by the rates of [faults] in the machine file: --set changes them.

Examples:
  podsim goodput resnet50 --slice 128x32 --batch-per-core 8 --days 30
  podsim goodput bert_large --slice 16x16 --batch-per-core 14 --spares 2 --set faults.exchange='1 min'
  podsim goodput resnet50 --slice 8x8 --verdicts --without-spare wait
  podsim goodput resnet50 --slice 32x32 --checkpoint-every '30 min' --set job.checkpoint_beside=true)";

}  // namespace

void add_goodput(CLI::App& program) {
  auto options = std::make_shared<GoodputOptions>();
  CLI::App* command =
      program.add_subcommand("goodput", "The share of time in steps that count, of a job over days with failures")
          ->group("Commands");
  run::add_job_options(*command, options->run, "The job's step: a workload of podsim run --help");
  add_job_flags(*command, *options);
  add_policy_flags(*command, *options);
  options::add_limit_option(*command);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->footer(goodput_footer);
  command->callback([options] {
    base::host::throw_on_interrupt();
    options->run.build.model = options->run.machine.take_model_settings();
    const report::GoodputReport report = run_goodput(*options);
    base::host::print_result(options->json ? report::goodput_json(report) : report::goodput_text(report));
  });
}

}  // namespace podsim::app::goodput
