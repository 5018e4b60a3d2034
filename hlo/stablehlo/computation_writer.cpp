// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/computation_writer.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace podsim::hlo::stablehlo {

std::string ComputationWriter::add(std::string_view type, std::string_view opcode,
                                   std::span<const std::string> operands, std::string_view attributes,
                                   LineOrigin origin) {
  std::string name(opcode);
  name += '.';
  name += std::to_string(++next_);
  body_ += "  %";
  body_ += name;
  body_ += " = ";
  body_ += type;
  body_ += ' ';
  body_ += opcode;
  body_ += '(';
  for (std::size_t i = 0; i < operands.size(); ++i) {
    body_ += i > 0 ? ", %" : "%";
    body_ += operands[i];
  }
  body_ += ')';
  body_ += attributes;
  end_line(origin);
  return name;
}

std::string ComputationWriter::add_constant(std::string_view type, std::string_view literal, LineOrigin origin) {
  std::string name = "constant." + std::to_string(++next_);
  body_ += "  %" + name + " = ";
  body_ += type;
  body_ += " constant(";
  body_ += literal;
  body_ += ')';
  end_line(origin);
  return name;
}

void ComputationWriter::add_parameter(const std::string& name, std::string_view type, int number,
                                      std::string_view attributes, LineOrigin origin) {
  body_ += "  %" + name + " = ";
  body_ += type;
  body_ += " parameter(" + std::to_string(number) + ")";
  body_ += attributes;
  end_line(origin);
}

void ComputationWriter::end_line(LineOrigin origin) {
  std::ranges::replace(std::span(body_).subspan(line_), '\n', ' ');
  body_ += '\n';
  line_ = body_.size();
  lines_.push_back(origin);
}

void ComputationWriter::define(std::string_view name, std::vector<Value> values) { values_[name] = std::move(values); }

const Value* ComputationWriter::find(std::string_view use) const {
  if (const auto whole = values_.find(use); whole != values_.end()) {
    return whole->second.empty() ? nullptr : whole->second.data();
  }
  const std::size_t hash = use.find('#');
  if (hash == std::string_view::npos) return nullptr;
  const auto found = values_.find(use.substr(0, hash));
  std::size_t index = 0;
  std::from_chars(use.data() + hash + 1, use.data() + use.size(), index);
  return found == values_.end() || index >= found->second.size() ? nullptr : &found->second[index];
}

void ComputationWriter::set_root(const std::string& name) {
  const std::size_t line = body_.rfind("  %" + name + " = ");
  if (line != std::string::npos) body_.insert(line + 2, "ROOT ");
  line_ = body_.size();
}

}  // namespace podsim::hlo::stablehlo
