// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_eval.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/commands/hlo_parts/hlo_arguments.h"
#include "app/options/limit_option.h"
#include "app/output/partial_result.h"
#include "app/run/files/module_file.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/interrupt.h"
#include "base/host/standard_output.h"
#include "base/progress.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "hlo/eval/evaluator.h"
#include "hlo/literal_printer.h"
#include "hlo/rules/instruction_error.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"
#include "hlo/value.h"

namespace podsim::app::commands::hlo_parts {
namespace {

using Json = nlohmann::ordered_json;

struct EvalOptions {
  std::string file;
  std::string module;  ///< empty: the only one
  std::vector<std::string> arguments;
  std::uint64_t seed = 0;
  bool json = false;
};

constexpr std::int64_t max_devices = 4096;
constexpr std::int64_t max_elements = std::int64_t{1} << 27;  ///< of all arguments together: a GiB of numbers
constexpr double max_bytes_outfed = 0x1p30;

/// Refuses arguments that this host would hold or draw for minutes.
void check_size(const EvalOptions& options, const hlo::Module& module, std::size_t devices) {
  double elements = 0;
  const std::function<void(const hlo::Shape&)> add = [&](const hlo::Shape& shape) {
    if (!shape.is_tuple()) elements += double(shape.element_count());
    for (const hlo::Shape& element : shape.tuple_shapes) add(element);
  };
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::InstructionId parameter : entry.parameters) add(entry[parameter].shape);
  elements *= double(devices);
  if (elements <= double(max_elements)) return;
  throw base::InputError(fmt::format("{}: its arguments have {:.3g} elements{}; at most {} can be evaluated",
                                     options.file, elements, devices > 1 ? " on all devices" : "", max_elements));
}

/// The module of a file that a name says; without a name, the only one.
hlo::text::Module read_one(const EvalOptions& options) {
  hlo::text::ReadResult result =
      hlo::text::read(options.file, run::files::module_text("FILE", options.file), hlo::text::UnknownOpcodes::reject);
  if (!result.ok()) throw base::InputError(std::move(result.diagnostics));
  if (result.modules.size() == 1 && options.module.empty()) return std::move(result.modules[0]);
  std::vector<std::string> names;
  for (hlo::text::Module& module : result.modules) {
    if (module.name == options.module) return std::move(module);
    names.emplace_back(module.name);
  }
  const std::string list = fmt::format("its modules: {}", fmt::join(names, ", "));
  if (options.module.empty()) {
    throw base::InputError(fmt::format("{} has {} modules: choose one with --module", options.file, names.size()),
                           list);
  }
  base::host::locate_errors("--module", options.module, [&] {
    const std::string nearest = base::did_you_mean(options.module, names);
    throw base::InputError(fmt::format("{} has no module '{}'", options.file, options.module),
                           nearest.empty() ? list : nearest);
  });
  return {};  // not reached
}

Json number_json(hlo::ElementType type, double value) {
  if (type == hlo::ElementType::pred) return value != 0;
  if (hlo::is_integer(type)) return std::int64_t(value);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

/// The array as lists, nested as its dimensions.
Json array_json(const hlo::Literal& literal, std::size_t level, std::size_t& next) {
  const hlo::ElementType type = literal.shape.element_type;
  if (level < literal.shape.dimensions.size()) {
    Json list = Json::array();
    for (std::int64_t i = 0; i < literal.shape.dimensions[level]; ++i) {
      list.push_back(array_json(literal, level + 1, next));
    }
    return list;
  }
  const std::size_t i = next++;
  if (type == hlo::ElementType::u64) return std::uint64_t(literal.integers[i]);
  if (hlo::is_wide(type)) return literal.integers[i];
  if (hlo::is_complex(type)) {
    return Json::array({number_json(type, literal.values[2 * i]), number_json(type, literal.values[2 * i + 1])});
  }
  return number_json(type, literal.values[i]);
}

/// A shape as printed, and those of its elements.
struct ShapeText {
  std::string text;
  std::vector<ShapeText> elements;
};

ShapeText shape_text(const hlo::Shape& shape) {
  ShapeText made{hlo::to_string(shape), {}};
  for (const hlo::Shape& element : shape.tuple_shapes) made.elements.push_back(shape_text(element));
  return made;
}

/// With all tiles of a layout, of which the graph keeps one.
ShapeText shape_text(const hlo::text::ShapeTable& shapes, hlo::text::ShapeId id) {
  ShapeText made{shapes.text(id), {}};
  for (const hlo::text::ShapeId element : shapes[id].elements) made.elements.push_back(shape_text(shapes, element));
  return made;
}

ShapeText result_shape(const hlo::text::Module& module) {
  const hlo::text::Computation& entry = module.computations[std::size_t(module.entry)];
  return shape_text(module.shapes, module.instructions[std::size_t(entry.root)].shape);
}

Json value_json(const hlo::Literal& literal, const ShapeText& shape) {
  Json json = {{"shape", shape.text}};
  if (literal.shape.is_tuple()) {
    json["elements"] = Json::array();
    for (std::size_t i = 0; i < literal.elements.size(); ++i) {
      json["elements"].push_back(value_json(literal.elements[i], shape.elements[i]));
    }
  } else if (hlo::byte_width(literal.shape.element_type) > 0) {
    std::size_t next = 0;
    json["value"] = array_json(literal, 0, next);
  }
  return json;
}

/// An array on one line, a tuple with a line per element.
std::string value_text(const hlo::Literal& literal, const ShapeText& shape, const std::string& indent) {
  if (!literal.shape.is_tuple()) return fmt::format("{}{} {}\n", indent, shape.text, hlo::to_string(literal));
  std::string text = indent + "(\n";
  for (std::size_t i = 0; i < literal.elements.size(); ++i) {
    text += value_text(literal.elements[i], shape.elements[i], indent + "  ");
  }
  return text + indent + ")\n";
}

/// A value that a module fed out, in order.
struct Outfed {
  int device;
  hlo::Literal value;
};

std::string result_text(const hlo::text::Module& written, const std::vector<hlo::Literal>& results,
                        const std::vector<Outfed>& outfed) {
  std::string text;
  for (const Outfed& fed : outfed) {
    text += fmt::format("outfeed of device {}\n", fed.device);
    text += value_text(fed.value, shape_text(fed.value.shape), "  ");
  }
  const ShapeText shape = result_shape(written);
  if (results.size() == 1) return text + value_text(results[0], shape, "");
  for (std::size_t device = 0; device < results.size(); ++device) {
    text += fmt::format("device {}\n", device) + value_text(results[device], shape, "  ");
  }
  return text;
}

std::string result_json(const EvalOptions& options, const hlo::text::Module& written, const hlo::Module& module,
                        const std::vector<hlo::Literal>& results, const std::vector<Outfed>& outfed) {
  Json json = {
      {"schema_version", 1},  {"command", "hlo eval"},       {"file", options.file},           {"module", module.name},
      {"seed", options.seed}, {"replicas", module.replicas}, {"partitions", module.partitions}};
  const ShapeText shape = result_shape(written);
  json["results"] = Json::array();
  for (const hlo::Literal& result : results) json["results"].push_back(value_json(result, shape));
  json["outfeed"] = Json::array();
  for (const Outfed& fed : outfed) {
    Json entry = value_json(fed.value, shape_text(fed.value.shape));
    entry["device"] = fed.device;
    json["outfeed"].push_back(entry);
  }
  return base::text::json_text(json, 2) + "\n";
}

void evaluate_file(const EvalOptions& options) {
  base::host::throw_on_interrupt();
  const hlo::text::Module text = read_one(options);
  const hlo::Module module = hlo::text::graph::to_graph(text);
  std::vector<base::Diagnostic> errors = hlo::text::check_shapes(text, module);
  for (base::Diagnostic& error : errors) error.severity = base::Diagnostic::Severity::error;
  if (!errors.empty()) throw base::InputError(std::move(errors));
  const std::int64_t devices = module.replicas * module.partitions;
  if (devices > max_devices) {
    throw base::InputError(fmt::format("{} runs on {}; at most {} can be evaluated", options.file,
                                       base::text::counted(devices, "device"), max_devices));
  }
  // The program of all devices together takes whole arrays, which are the same on all of them.
  const bool is_global = hlo::text::is_global(text) && module.partitions > 1;
  const std::size_t copies = is_global ? 1 : std::size_t(devices);
  check_size(options, module, copies);
  std::vector<std::vector<hlo::Value>> arguments;
  for (auto& of_device : entry_arguments(text, module, options.arguments, options.seed, copies)) {
    std::vector<hlo::Value>& values = arguments.emplace_back();
    for (hlo::Literal& argument : of_device) values.emplace_back(std::move(argument));
  }
  arguments.resize(std::size_t(devices), arguments.front());
  std::vector<Outfed> outfed;
  std::uint64_t fed = 0;
  hlo::eval::EvaluationHost host;
  host.seed = options.seed;
  host.infeed = [&](int, const hlo::Instruction& instruction) {
    return random_literal(instruction.shape, options.seed, std::uint64_t{1} << 63 | fed++);
  };
  double bytes_outfed = 0;
  host.outfeed = [&](int device, const hlo::Literal& value) {
    bytes_outfed += hlo::Value::bytes_of(value.shape);
    if (bytes_outfed > max_bytes_outfed) throw std::logic_error("more than 1.074 GB were fed out");
    outfed.push_back({device, value});
  };
  base::Progress progress("evaluating");
  host.progress = [&](const hlo::Computation& computation, const hlo::Instruction& instruction) {
    progress.update([&] { return computation.name + "/" + instruction.name; });
  };
  try {
    std::vector<hlo::Literal> results;
    run::files::locate_instruction_errors(text, [&] {
      try {
        results = hlo::eval::evaluate_values(module, std::move(arguments), host);
      } catch (const hlo::eval::EvaluationError& error) {
        throw hlo::rules::InstructionError(error.instruction(), error.what());
      }
    });
    const auto as_first = [&](const hlo::Literal& result) { return hlo::same_values(result, results.front()); };
    if (is_global && std::ranges::all_of(results, as_first)) results.resize(1);
    base::host::print_result(options.json ? result_json(options, text, module, results, outfed)
                                          : result_text(text, results, outfed));
  } catch (const base::host::Interrupted& interruption) {
    output::print_partial(options.json ? result_json(options, text, module, {}, outfed) : result_text(text, {}, outfed),
                          options.json, interruption);
    throw;
  } catch (const std::logic_error& error) {
    throw base::InputError(fmt::format("{}: {}", options.file, error.what()));
  } catch (const std::bad_alloc&) {
    throw base::InputError(fmt::format("{}: its values need more memory than this host has", options.file));
  }
}

}  // namespace

void add_hlo_eval(CLI::App& hlo) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* eval = hlo.add_subcommand("eval", "What a module computes, on values, for every device")->group("Parts");
  eval->add_option("FILE", options->file, "HLO or StableHLO text")->option_text(" ")->required();
  eval->add_option("--module", options->module, "The module of a file with several")->option_text("NAME");
  eval->add_option("--args", options->arguments,
                   "Values of the parameters: a text of literals, or .npy files, each alone or as name=FILE.npy")
      ->option_text("DATA...");
  eval->add_option("--seed", options->seed, "Of random numbers, and of all parameters where no --args are given")
      ->option_text("N");
  options::add_limit_option(*eval);
  eval->add_flag("--json", options->json, "One JSON object on stdout");
  eval->footer(
      "Examples:\n  podsim hlo eval step.hlo\n  podsim hlo eval step.hlo --args values.txt\n"
      "  podsim hlo eval step.hlo --args weights.npy bias=b.npy");
  eval->callback([options] { evaluate_file(*options); });
}

}  // namespace podsim::app::commands::hlo_parts
