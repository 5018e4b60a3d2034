// SPDX-License-Identifier: Apache-2.0
#include "workloads/trained_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"
#include "base/text/glob.h"
#include "hlo/transform/buffer_donors.h"
#include "hlo/transform/flatten.h"
#include "hlo/transform/mixed_precision.h"
#include "hlo/transform/softmax_maxima.h"

namespace podsim::workloads {

namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::InstructionId;

/// The name of a parameter in the model, or its name in the text.
const std::string& name_of(const Instruction& parameter) {
  return parameter.op_name.empty() ? parameter.name : parameter.op_name;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// True if a pattern is the parameter's number, a range with it, or matches a name of it.
bool matches(const std::string& pattern, const Instruction& parameter) {
  if (const auto number = number_in(pattern)) return *number == parameter.index;
  if (const std::size_t dash = pattern.find('-'); dash != std::string::npos) {
    const auto first = number_in(std::string_view(pattern).substr(0, dash));
    const auto last = number_in(std::string_view(pattern).substr(dash + 1));
    if (first && last) return *first <= parameter.index && parameter.index <= *last;
  }
  return base::text::glob_match(pattern, name_of(parameter)) || base::text::glob_match(pattern, parameter.name);
}

bool can_be_trained(const Instruction& parameter) {
  return !parameter.shape.is_tuple() && hlo::is_floating_point(parameter.shape.element_type);
}

/// The numbers in "{ (0, {}), (3, {}) }", and of the donations.
std::set<std::int64_t> donated(const hlo::Module& module) {
  std::set<std::int64_t> numbers;
  for (const hlo::Donation& donation : module.donations) numbers.insert(donation.parameter);
  for (const std::int64_t donor : hlo::transform::buffer_donors(module)) numbers.insert(donor);
  return numbers;
}

std::string list_of_parameters(const Computation& entry) {
  constexpr std::size_t most = 12;
  std::vector<std::string> names;
  for (const InstructionId id : entry.parameters) {
    if (names.size() == most) break;
    names.push_back(fmt::format("{} {} {}", entry[id].index, name_of(entry[id]), hlo::to_string(entry[id].shape)));
  }
  const std::size_t more = entry.parameters.size() - names.size();
  return fmt::format("the program has {}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// The results of a program: the elements of its tuple, or its only one.
std::vector<InstructionId> results_of(const hlo::build::GraphBuilder& b, InstructionId root) {
  return b[root].opcode == hlo::Opcode::tuple ? b[root].operands : std::vector<InstructionId>{root};
}

InstructionId loss_of(const hlo::build::GraphBuilder& b, InstructionId root, std::optional<std::int64_t> number) {
  const std::vector<InstructionId> results = results_of(b, root);
  const auto is_loss = [&](InstructionId id) {
    const hlo::Shape& shape = b.shape(id);
    return !shape.is_tuple() && shape.rank() == 0 && hlo::is_floating_point(shape.element_type);
  };
  if (number) {
    if (*number < 0 || *number >= std::int64_t(results.size())) {
      throw base::InputError(fmt::format("there is no output {}: the program has {}", *number, results.size()));
    }
    const InstructionId id = results[std::size_t(*number)];
    if (!is_loss(id)) {
      throw base::InputError(
          fmt::format("output {} is {}, a loss is a floating-point scalar", *number, hlo::to_string(b.shape(id))));
    }
    return id;
  }
  const auto count = std::ranges::count_if(results, is_loss);
  if (count == 1) return *std::ranges::find_if(results, is_loss);
  throw base::InputError(
      count == 0 ? "no result of the program is a floating-point scalar, so there is no loss"
                 : "several results of the program are floating-point scalars",
      count == 0 ? "end the program with the mean loss of the batch" : "name the loss, as in --loss output:0");
}

}  // namespace

std::vector<std::int64_t> chosen_parameters(const hlo::Module& forward, const std::vector<std::string>& patterns) {
  const Computation& entry = forward.entry_computation();
  std::set<std::int64_t> chosen;
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (const InstructionId id : entry.parameters) {
      if (!matches(pattern, entry[id])) continue;
      found = true;
      if (!can_be_trained(entry[id])) {
        throw base::InputError(fmt::format("parameter {} is {}, which cannot be trained", name_of(entry[id]),
                                           hlo::to_string(entry[id].shape)));
      }
      chosen.insert(entry[id].index);
    }
    if (!found) throw base::InputError(fmt::format("no parameter matches '{}'", pattern), list_of_parameters(entry));
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<std::int64_t> trained_parameters(const hlo::Module& forward, const ProgramTraining& training) {
  if (!training.parameters.empty()) return chosen_parameters(forward, training.parameters);
  const Computation& entry = forward.entry_computation();
  std::set<std::int64_t> chosen;
  for (const std::int64_t number : donated(forward)) {
    const bool exists = number < std::int64_t(entry.parameters.size());
    if (exists && can_be_trained(entry[entry.parameters[std::size_t(number)]])) chosen.insert(number);
  }
  if (chosen.empty()) {
    throw base::InputError("nothing tells the parameters that are trained from the inputs",
                           "name them, as in --parameters 'w*,b*' or --parameters 0-5, or donate them "
                           "(donate_argnums); " +
                               list_of_parameters(entry));
  }
  return {chosen.begin(), chosen.end()};
}

namespace {

/// A flattened program in a builder.
struct FlatForward {
  hlo::build::GraphBuilder builder;
  Loss loss;
  std::vector<TrainedTensor> tensors;
};

FlatForward flat_forward(const hlo::Module& forward, const ProgramTraining& training) {
  const std::vector<std::int64_t> chosen = trained_parameters(forward, training);
  hlo::Module flat = hlo::transform::flattened(forward);
  if (training.mixed_precision) flat = hlo::transform::in_mixed_precision(flat);
  FlatForward result{hlo::build::GraphBuilder(flat.name), {}, {}};
  hlo::build::GraphBuilder& b = result.builder;
  const InstructionId root = b.append_entry(flat);
  const Computation& entry = flat.entry_computation();
  for (const std::int64_t number : chosen) {
    const InstructionId id = b.parameters()[std::size_t(number)];
    const std::string& name = name_of(entry[entry.parameters[std::size_t(number)]]);
    result.tensors.push_back({id, name, b.shape(id).rank() >= 2});
  }
  result.loss.value = loss_of(b, root, training.loss);
  result.loss.held = hlo::transform::softmax_maxima(b, result.loss.value);
  return result;
}

}  // namespace

TrainingStep trained_program(const hlo::Module& forward, const ProgramTraining& training,
                             std::optional<std::int64_t> replicas) {
  FlatForward flat = flat_forward(forward, training);
  TrainingStep step =
      replicas ? training_step(std::move(flat.builder), flat.loss, flat.tensors, {training.optimizer, *replicas})
               : global_training_step(std::move(flat.builder), flat.loss, flat.tensors, training.optimizer);
  step.module.replicas = forward.replicas;
  step.module.partitions = forward.partitions;
  step.module.donations = step.donations;
  return step;
}

hlo::Module program_loss(const hlo::Module& forward, const ProgramTraining& training) {
  hlo::build::GraphBuilder b(forward.name);
  const InstructionId root = b.append_entry(forward);
  const InstructionId loss = loss_of(b, root, training.loss);
  hlo::Module module = std::move(b).build(loss);
  module.replicas = forward.replicas;
  module.partitions = forward.partitions;
  return module;
}

hlo::Module program_gradients(const hlo::Module& forward, const ProgramTraining& training) {
  FlatForward flat = flat_forward(forward, training);
  std::vector<InstructionId> tensors;
  for (const TrainedTensor& tensor : flat.tensors) tensors.push_back(tensor.value);
  std::vector<InstructionId> results =
      hlo::transform::gradients(flat.builder, flat.loss.value, tensors, flat.loss.held);
  results.push_back(flat.loss.value);
  const InstructionId root = flat.builder.tuple(std::move(results));
  hlo::Module module = std::move(flat.builder).build(root);
  module.replicas = forward.replicas;
  module.partitions = forward.partitions;
  return module;
}

}  // namespace podsim::workloads
