// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_grad_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "app/commands/hlo_parts/hlo_arguments.h"
#include "app/output/failed_check.h"
#include "base/diagnostic.h"
#include "base/host/standard_output.h"
#include "base/text/counted.h"
#include "base/text/text_table.h"
#include "hlo/transform/double_precision.h"
#include "hlo/transform/gradient_check.h"

namespace podsim::app::commands::hlo_parts {
namespace {

using hlo::transform::DirectionalSlope;
using hlo::transform::Slope;
using Arguments = std::vector<std::vector<hlo::Literal>>;

constexpr std::int64_t most_devices_of_a_check = 256;
constexpr double most_elements_of_a_check = 0x1p24;  ///< of all arguments; each is evaluated a dozen times

double elements_of(const hlo::Shape& shape) {
  if (!shape.is_tuple()) return double(shape.element_count());
  double sum = 0;
  for (const hlo::Shape& element : shape.tuple_shapes) sum += elements_of(element);
  return sum;
}

/// Refuses what this host would evaluate for hours.
void require_small(const hlo::Module& module, std::size_t copies) {
  double elements = 0;
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::InstructionId id : entry.parameters) elements += elements_of(entry[id].shape) * double(copies);
  if (elements <= most_elements_of_a_check) return;
  throw base::InputError(fmt::format("the arguments have {:.3g} elements; a check evaluates at most {:.3g}", elements,
                                     most_elements_of_a_check),
                         "check a model of the same layers with smaller sizes");
}

/// Without flags and donations, every real array is a parameter.
void choose_parameters(const hlo::Module& module, workloads::ProgramTraining& training) {
  if (!training.parameters.empty() || !module.donations.empty() || !module.buffer_donors.empty()) return;
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::InstructionId id : entry.parameters) {
    const hlo::Shape& shape = entry[id].shape;
    if (hlo::is_floating_point(shape.element_type)) training.parameters.push_back(std::to_string(entry[id].index));
  }
  if (training.parameters.empty()) throw base::InputError("no parameter is an array of real numbers");
}

/// Literals of f64 and c128 where they are of narrower types, after a function of their real numbers.
void raise(hlo::Literal& literal, double (*function)(double)) {
  for (hlo::Literal& element : literal.elements) raise(element, function);
  const hlo::ElementType type = literal.shape.element_type;
  if (!hlo::is_floating_point(type) && !hlo::is_complex(type)) return;
  const hlo::ElementType raised = hlo::is_complex(type) ? hlo::ElementType::c128 : hlo::ElementType::f64;
  literal.shape = hlo::make_shape(raised, literal.shape.dimensions);
  for (double& value : literal.values) value = function(value);
}

/// Whole numbers of 0 or 1: most are indices and labels, of which there may be few.
void reduce_whole_numbers(Arguments& arguments) {
  for (auto& of_device : arguments) {
    for (hlo::Literal& literal : of_device) {
      for (std::int64_t& value : literal.integers) value %= 2;
      if (!hlo::is_integer(literal.shape.element_type)) continue;
      for (double& value : literal.values) value = double(std::int64_t(value) % 2);
    }
  }
}

Arguments raised(Arguments arguments, double (*function)(double)) {
  for (auto& of_device : arguments) {
    for (hlo::Literal& literal : of_device) raise(literal, function);
  }
  return arguments;
}

double same(double value) { return value; }
/// [-1, 1) to [0.5, 1.5), where logarithms and roots have values.
double positive(double value) { return 1 + value / 2; }

bool is_finite(const std::vector<DirectionalSlope>& slopes) {
  return std::ranges::none_of(slopes, [](const DirectionalSlope& s) { return s.verdict == Slope::not_finite; });
}

std::string verdict_text(const DirectionalSlope& slope) {
  switch (slope.verdict) {
    case Slope::agrees:
      return "agrees";
    case Slope::is_kinked:
      return fmt::format("not smooth here: {:.6g} to the left, {:.6g} to the right", slope.to_left, slope.to_right);
    case Slope::differs:
      return fmt::format("differs by more than {:.1e}", slope.allowed);
    case Slope::not_finite:
      return "not finite";
  }
  return {};
}

const std::string& parameter_name(const hlo::Module& module, std::int64_t number) {
  const hlo::Computation& entry = module.entry_computation();
  return entry[entry.parameters[std::size_t(number)]].name;
}

std::string table_of(const hlo::Module& module, const std::vector<DirectionalSlope>& slopes, bool is_positive) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
  table.row({"parameter", "by gradient", "by differences", "relative", ""});
  for (const DirectionalSlope& slope : slopes) {
    table.row({parameter_name(module, slope.parameter), fmt::format("{:.9g}", slope.by_gradient),
               fmt::format("{:.9g}", slope.by_differences), fmt::format("{:.1e}", slope.relative_difference()),
               verdict_text(slope)});
  }
  return fmt::format("Derivatives of the loss in f64, each along a random direction of one parameter{}\n{}",
                     is_positive ? ", at positive arguments" : "", table.text());
}

void require_agreement(const hlo::Module& module, const std::vector<DirectionalSlope>& slopes) {
  std::vector<base::Diagnostic> wrong;
  for (const DirectionalSlope& slope : slopes) {
    if (slope.verdict != Slope::differs) continue;
    wrong.push_back({base::Diagnostic::Severity::error,
                     fmt::format("the gradient of {} differs from the differences of the loss: {:.9g} against {:.9g}",
                                 parameter_name(module, slope.parameter), slope.by_gradient, slope.by_differences),
                     {},
                     ""});
  }
  if (!wrong.empty()) throw output::FailedCheck(std::move(wrong));
  if (!is_finite(slopes)) {
    throw base::InputError("the loss or a gradient is not finite at these arguments",
                           "--args gives others, --seed draws others");
  }
}

}  // namespace

void check_gradients_of(const run::files::ModuleFile& file, workloads::ProgramTraining training,
                        const CheckPoint& point) {
  const hlo::Module& module = file.graph;
  const std::int64_t devices = module.replicas * module.partitions;
  if (devices > most_devices_of_a_check) {
    throw base::InputError(fmt::format("the program runs on {}; at most {} are evaluated for a check",
                                       base::text::counted(devices, "device"), most_devices_of_a_check));
  }
  choose_parameters(module, training);
  const hlo::Module loss = hlo::transform::in_double_precision(workloads::program_loss(module, training));
  const hlo::Module gradients = hlo::transform::in_double_precision(workloads::program_gradients(module, training));
  hlo::transform::CheckedGradient checked;
  checked.loss = &loss;
  checked.gradients = &gradients;
  checked.parameters = workloads::trained_parameters(module, training);
  checked.is_global = file.is_global && module.partitions > 1;
  checked.seed = point.seed;
  const std::size_t copies = checked.is_global ? 1 : std::size_t(devices);
  require_small(module, copies);
  Arguments drawn = entry_arguments(file.text, module, point.arguments, point.seed, copies);
  if (point.arguments.empty()) reduce_whole_numbers(drawn);
  drawn.resize(std::size_t(devices), drawn.front());
  try {
    std::vector<DirectionalSlope> slopes = hlo::transform::check_gradients(checked, raised(drawn, same));
    const bool again = point.arguments.empty() && !is_finite(slopes);
    if (again) slopes = hlo::transform::check_gradients(checked, raised(drawn, positive));
    base::host::print_result(table_of(module, slopes, again));
    require_agreement(module, slopes);
  } catch (const std::logic_error& error) {
    throw base::InputError(error.what());
  } catch (const std::bad_alloc&) {
    throw base::InputError("its values need more memory than this host has");
  }
}

}  // namespace podsim::app::commands::hlo_parts
