// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/input_file.h"
#include "hlo/eval/element.h"
#include "hlo/text/graph/argument_text.h"
#include "hlo/text/graph/npy.h"

namespace podsim::app::commands::hlo_parts {
namespace {

using Values = std::vector<std::vector<std::optional<hlo::Literal>>>;  // [device][parameter]

void fill(hlo::Literal& literal, std::mt19937_64& random) {
  for (hlo::Literal& element : literal.elements) fill(element, random);
  const hlo::ElementType type = literal.shape.element_type;
  for (double& value : literal.values) {
    if (hlo::is_integer(type)) {
      value = hlo::eval::integer_element(type, std::int64_t(random() % 10)).number;
    } else if (type == hlo::ElementType::pred) {
      value = double(random() % 2);
    } else {
      const double unit = double(random() >> 11) * 0x1p-53;
      value = hlo::is_complex(type) ? 2 * unit - 1 : hlo::round_to(type, 2 * unit - 1);
    }
  }
  for (std::int64_t& value : literal.integers) value = std::int64_t(random() % 10);
}

void give(Values& values, const hlo::text::graph::Argument& argument) {
  if (argument.device >= int(values.size())) {
    throw base::InputError(fmt::format("there is no device {}: the module runs on {}", argument.device, values.size()));
  }
  for (std::size_t device = 0; device < values.size(); ++device) {
    if (argument.device < 0 || argument.device == int(device)) values[device][argument.parameter] = argument.value;
  }
}

/// Parses an argument "name=PATH", "name@3=PATH" or "PATH" into the parameter and device it is for, and sets `path`.
hlo::text::graph::Argument parse_place(const hlo::text::Module& text, const std::string& argument, const Values& values,
                                       std::string& path) {
  hlo::text::graph::Argument place;
  const std::size_t equals = argument.find('=');
  path = argument.substr(equals == std::string::npos ? 0 : equals + 1);
  if (equals == std::string::npos) {
    const auto next = std::ranges::find(values[0], false, &std::optional<hlo::Literal>::has_value);
    if (next == values[0].end()) throw base::InputError("a value too many: every parameter has one");
    place.parameter = std::size_t(next - values[0].begin());
    return place;
  }
  std::string name = argument.substr(0, equals);
  if (const std::size_t at = name.find('@'); at != std::string::npos) {
    place.device = int(base::host::parse_whole_number("--args", name.substr(at + 1), 0, 1 << 20));
    name.resize(at);
  }
  place.parameter = hlo::text::graph::parameter_named(text, name);
  return place;
}

void read_argument_file(const hlo::text::Module& text, const hlo::Module& module, const std::string& argument,
                        Values& values) {
  base::host::locate_errors("--args", argument, [&] {
    if (!argument.ends_with(".npy")) {
      for (const auto& given :
           hlo::text::graph::read_arguments(argument, base::host::read_input("--args", argument), text)) {
        give(values, given);
      }
      return;
    }
    std::string path;
    hlo::text::graph::Argument given = parse_place(text, argument, values, path);
    const hlo::Computation& entry = module.entry_computation();
    given.value = hlo::text::graph::read_npy(base::host::read_input("--args", path),
                                             entry[entry.parameters[given.parameter]].shape);
    give(values, given);
  });
}

}  // namespace

hlo::Literal random_literal(const hlo::Shape& shape, std::uint64_t seed, std::uint64_t stream) {
  std::seed_seq seeds{std::uint32_t(seed), std::uint32_t(seed >> 32), std::uint32_t(stream),
                      std::uint32_t(stream >> 32)};
  std::mt19937_64 random(seeds);
  hlo::Literal literal = hlo::make_zeros(shape);
  fill(literal, random);
  return literal;
}

std::vector<std::vector<hlo::Literal>> entry_arguments(const hlo::text::Module& text, const hlo::Module& module,
                                                       const std::vector<std::string>& files, std::uint64_t seed,
                                                       std::size_t devices) {
  const hlo::Computation& entry = module.entry_computation();
  Values values(devices, std::vector<std::optional<hlo::Literal>>(entry.parameters.size()));
  for (const std::string& file : files) read_argument_file(text, module, file, values);
  std::vector<std::vector<hlo::Literal>> arguments(devices);
  for (std::size_t device = 0; device < devices; ++device) {
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      const hlo::Instruction& parameter = entry[entry.parameters[i]];
      if (!files.empty() && !values[device][i]) {
        throw base::InputError(
            fmt::format("parameter {} ({} {}) has no value{}", i, parameter.name, hlo::to_string(parameter.shape),
                        devices > 1 ? fmt::format(" on device {}", device) : ""),
            "--args gives a value for every parameter; without it they are random");
      }
      arguments[device].push_back(files.empty() ? random_literal(parameter.shape, seed, device << 32 | i)
                                                : std::move(*values[device][i]));
    }
  }
  return arguments;
}

}  // namespace podsim::app::commands::hlo_parts
