// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/op_cache_option.h"
#include "app/output/partial_result.h"
#include "app/validate/validate_estimates.h"
#include "app/validate/validate_faults.h"
#include "app/validate/validate_jobs.h"
#include "app/validate/validate_power.h"
#include "app/validate/validate_published.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "validation/measured/leave_out.h"
#include "validation/measured/validation.h"
#include "workloads/machines/machine_choice.h"

namespace podsim::app::validate {
namespace {

struct ValidateOptions {
  std::string data = "../shared/measurements", csv;
  std::vector<std::string> left_out;
  workloads::machines::MachineChoice machines;  ///< assignments for every machine
  options::OpCacheOption op_cache;
  bool json = false;
};

base::Config configured(const ValidateOptions& options, const std::string& machine) {
  return workloads::machines::MachineChoice{machine, options.machines.assignments}.load();
}

void run_leave_out(const ValidateOptions& options) {
  const auto begin = base::host::HostClock::now();
  validation::measured::LeaveOut left_out;
  base::Progress progress("fitting");
  const auto configure = [&](const std::string& machine) { return configured(options, machine); };
  const auto result = [&] {
    left_out.wall_s = base::host::seconds_since(begin);
    return options.json ? validation::measured::leave_out_json(left_out)
                        : validation::measured::leave_out_text(left_out);
  };
  output::publish(
      options.json,
      [&] {
        validation::measured::leave_out(options.data, options.left_out, configure, left_out,
                                        [&](double share) { progress.update(share); });
      },
      result);
}

void run_validate(ValidateOptions& options) {
  base::host::throw_on_interrupt();
  if (!options.left_out.empty()) return run_leave_out(options);
  const auto begin = base::host::HostClock::now();
  validation::measured::Silicon silicon([&](const std::string& machine) { return configured(options, machine); },
                                        nullptr, options.op_cache.open());
  validation::measured::Validation validation;
  base::Progress progress("modelling");
  const auto result = [&] {
    validation.wall_s = base::host::seconds_since(begin);
    return options.json ? validation::measured::validation_json(validation)
                        : validation::measured::validation_text(validation);
  };
  output::publish(options.json,
                  [&] {
                    validation::measured::validate(options.data, silicon, validation,
                                                   [&](double share) { progress.update(share); });
                  },
                  result, {[&] {
                    if (!options.csv.empty())
                      base::host::write_file(options.csv, validation::measured::validation_csv(validation));
                  }});
  options.op_cache.close();
}

}  // namespace

void add_validate(CLI::App& program) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* validate =
      program.add_subcommand("validate", "Hold the model to every measured point of a folder")->group("Commands");
  validate->add_option("--data", options->data, "Folder of measured files [../shared/measurements]")
      ->option_text("DIR");
  CLI::Option* left_out =
      validate
          ->add_option("--leave-out", options->left_out,
                       "Fit the machine's measured parameters to all sources and to\nall but this one, and compare its "
                       "errors. May be repeated.")
          ->option_text("SOURCE");
  options::add_set_option(*validate, options->machines);
  options::add_limit_option(*validate);
  options->op_cache.add_to(*validate)->excludes(left_out);
  validate->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*validate, "--csv", options->csv, "Every point with both times")->excludes(left_out);
  validate->footer(
      "Examples:\n  podsim validate --data measurements\n  podsim validate --set hbm.turnaround=0\n"
      "  podsim validate --leave-out nmt");
  add_validate_steps(*validate);
  add_validate_jobs(*validate);
  add_validate_power(*validate);
  add_validate_faults(*validate);
  add_validate_memory(*validate);
  add_validate_estimates(*validate);
  validate->callback([options, validate] {
    if (validate->get_subcommands().empty()) run_validate(*options);
  });
}

}  // namespace podsim::app::validate
