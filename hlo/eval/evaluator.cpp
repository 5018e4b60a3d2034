// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/evaluator.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "hlo/eval/evaluation.h"

namespace podsim::hlo::eval {

namespace {

void check_arguments(const Computation& entry, const std::vector<Value>& arguments) {
  if (arguments.size() != entry.parameters.size()) {
    throw std::logic_error(fmt::format("{} arguments for {} parameters", arguments.size(), entry.parameters.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Instruction& parameter = entry[entry.parameters[i]];
    const Shape& shape = arguments[i].array().shape;
    if (!shape.compatible(parameter.shape)) {
      throw std::logic_error(fmt::format("argument {} for parameter {}: {}", to_string(shape), parameter.name,
                                         to_string(parameter.shape)));
    }
  }
}

/// Number of replicas of a run on `devices` devices.
std::int64_t replicas_of(const Module& module, std::int64_t devices) {
  if (module.replicas == 1 && module.partitions == 1) return devices;
  if (devices != module.replicas * module.partitions) {
    throw std::logic_error(
        fmt::format("arguments for {} devices, the module runs on {}", devices, module.replicas * module.partitions));
  }
  return module.replicas;
}

}  // namespace

Literal evaluate(const Module& module, std::span<const Literal> arguments, const EvaluationHost& host) {
  return std::move(evaluate_partitions(module, {{arguments.begin(), arguments.end()}}, host)[0]);
}

std::vector<Literal> evaluate_partitions(const Module& module, const std::vector<std::vector<Literal>>& arguments,
                                         const EvaluationHost& host) {
  std::vector<std::vector<Value>> values(arguments.size());
  for (std::size_t device = 0; device < arguments.size(); ++device) {
    for (const Literal& argument : arguments[device]) values[device].emplace_back(argument);
  }
  return evaluate_values(module, std::move(values), host);
}

std::vector<Literal> evaluate_values(const Module& module, std::vector<std::vector<Value>> arguments,
                                     const EvaluationHost& host) {
  const Computation& entry = module.entry_computation();
  std::vector<int> devices;
  for (std::size_t device = 0; device < arguments.size(); ++device) {
    devices.push_back(int(device));
    check_arguments(entry, arguments[device]);
  }
  EvaluationRun run{module,
                    host,
                    replicas_of(module, std::int64_t(arguments.size())),
                    module.partitions,
                    std::vector<std::uint64_t>(arguments.size(), 0),
                    Channels(module, replicas_of(module, std::int64_t(arguments.size())), module.partitions)};
  const std::vector<Value> values = Evaluation(run, entry, std::move(devices)).run(arguments);
  arguments.clear();
  std::vector<Literal> results;
  for (const Value& value : values) results.push_back(value.literal());
  return results;
}

}  // namespace podsim::hlo::eval
