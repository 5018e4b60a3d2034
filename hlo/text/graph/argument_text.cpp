// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/argument_text.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "hlo/text/diagnostic_list.h"
#include "hlo/text/graph/graph_literal.h"
#include "hlo/text/graph/graph_shape.h"
#include "hlo/text/literal_text.h"
#include "hlo/text/value_list.h"

namespace podsim::hlo::text::graph {

namespace {

std::vector<std::string> parameter_names(const Module& module) {
  std::vector<std::string> names;
  for (const InstructionIndex parameter : module.computations[std::size_t(module.entry)].parameters) {
    names.emplace_back(module.instructions[std::size_t(parameter)].name);
  }
  return names;
}

class ArgumentReader {
 public:
  ArgumentReader(const std::string& text, const Module& module)
      : scanner_(text), module_(module), names_(parameter_names(module)), given_(names_.size(), false) {}

  std::vector<Argument> read() {
    while (scanner_.skip_space()) read_argument();
    return std::move(arguments_);
  }

 private:
  void read_argument() {
    Argument argument;
    const std::size_t begin = scanner_.offset();
    if (const std::optional<std::string_view> name = read_name(argument)) {
      argument.parameter = named(*name);
    } else {
      scanner_.move_to(begin);
      const auto next = std::ranges::find(given_, false);
      if (next == given_.end()) {
        scanner_.fail_at(scanner_.text().substr(begin, 1),
                         fmt::format("a value too many: the entry has {} parameters", names_.size()));
      }
      argument.parameter = std::size_t(next - given_.begin());
    }
    given_[argument.parameter] = true;
    argument.value = read_value(argument.parameter);
    arguments_.push_back(std::move(argument));
  }

  /// "name =" or "name@3 =".
  std::optional<std::string_view> read_name(Argument& argument) {
    const char first = scanner_.peek();
    if (first != '%' && !is_name_character(first)) return {};
    const std::string_view name = scanner_.name("a parameter's name");
    if (scanner_.accept('@')) {
      const std::size_t begin = scanner_.offset();
      const std::int64_t device = scanner_.integer("a device's number");
      if (device < 0 || device >= max_devices) {
        scanner_.fail_at(scanner_.text().substr(begin, scanner_.offset() - begin), "a device's number is at least 0");
      }
      argument.device = int(device);
      scanner_.expect('=', "after a device's number");
      return name;
    }
    if (!scanner_.accept('=')) return {};
    return name;
  }

  std::size_t named(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) {
      scanner_.fail_at(name, fmt::format("the entry has no parameter '{}'", name), base::did_you_mean(name, names_));
    }
    return std::size_t(found - names_.begin());
  }

  hlo::Literal read_value(std::size_t parameter) {
    const Computation& entry = module_.computations[std::size_t(module_.entry)];
    const ShapeId shape = module_.instructions[std::size_t(entry.parameters[parameter])].shape;
    scanner_.skip_space();
    const std::size_t begin = scanner_.offset();
    try {
      skip_literal(scanner_, module_.shapes, shape);
    } catch (const SyntaxError& error) {
      throw SyntaxError(error.offset, error.length, error.what(),
                        error.hint.empty()
                            ? fmt::format("parameter {} is {}", names_[parameter], module_.shapes.text(shape, false))
                            : error.hint);
    }
    const std::string_view text = scanner_.text().substr(begin, scanner_.offset() - begin);
    std::optional<hlo::Literal> value = read_graph_literal(text, GraphShapes(module_.shapes)[shape]);
    if (!value) scanner_.fail_at(text.substr(0, text.find('\n')), "an argument's values cannot be left out");
    return std::move(*value);
  }

  Scanner scanner_;
  const Module& module_;
  std::vector<std::string> names_;
  std::vector<bool> given_;
  std::vector<Argument> arguments_;
};

}  // namespace

std::vector<Argument> read_arguments(const std::string& file, const std::string& text, const Module& module) {
  try {
    return ArgumentReader(text, module).read();
  } catch (const SyntaxError& error) {
    DiagnosticList diagnostics(file, text);
    diagnostics.error(error);
    throw base::InputError(diagnostics.take());
  }
}

std::size_t parameter_named(const Module& module, const std::string& name) {
  const std::vector<std::string> names = parameter_names(module);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw base::InputError(fmt::format("the entry has no parameter '{}'", name), base::did_you_mean(name, names));
  }
  return std::size_t(found - names.begin());
}

}  // namespace podsim::hlo::text::graph
