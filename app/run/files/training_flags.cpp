// SPDX-License-Identifier: Apache-2.0
#include "app/run/files/training_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "app/options/flag_values.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"

namespace podsim::app::run::files {

namespace {

constexpr std::int64_t max_outputs = 1'000'000;

std::vector<std::string> names_of_optimizers() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : workloads::optimizer_kinds()) names.push_back(name);
  return names;
}

std::int64_t output_number(const std::string& text) {
  constexpr std::string_view prefix = "output:";
  const std::string number = text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  return base::host::parse_whole_number("--loss", number, 0, max_outputs);
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

void TrainingFlags::add_to(CLI::App& command) {
  static const std::vector<std::string> precisions{"f32", "bf16"};
  command
      .add_option_function<std::string>(
          "--train",
          [this](const std::string& text) {
            base::host::parse_choice("--train", text, "an optimizer", names_of_optimizers());
            optimizer = text;
          },
          "Make a training step of a file that holds a forward program:\nits gradients and the update of this "
          "optimizer [none]")
      ->type_name(options::alternatives(names_of_optimizers()))
      ->option_text("NAME");
  command
      .add_option_function<std::string>(
          "--loss",
          [this](const std::string& text) {
            output_number(text);
            loss = text;
          },
          "Result of the program that is minimised, as output:N [the only\nfloating-point scalar]")
      ->option_text("output:N");
  command
      .add_option("--parameters", parameters,
                  "What is trained, or what has the type of --weights: patterns\nof names, numbers or ranges of "
                  "numbers, with commas, such as\n'w*,b*' or 0-5 [those that the program donates]")
      ->option_text("LIST");
  command
      .add_option_function<std::string>(
          "--precision",
          [this](const std::string& text) {
            base::host::parse_choice("--precision", text, "a precision", precisions);
            precision = text;
          },
          "bf16: products of an f32 program in bf16, sums, exponentials\nand roots in f32 [f32: as it is written]")
      ->type_name(options::alternatives(precisions))
      ->option_text("TYPE");
}

workloads::ProgramTraining TrainingFlags::plan() const {
  workloads::ProgramTraining training;
  for (const auto& [name, kind] : workloads::optimizer_kinds()) {
    if (name == optimizer) training.optimizer.kind = kind;
  }
  if (!loss.empty()) training.loss = output_number(loss);
  training.parameters = split_at_commas(parameters);
  training.mixed_precision = precision == "bf16";
  return training;
}

}  // namespace podsim::app::run::files
