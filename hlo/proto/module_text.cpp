// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/module_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/proto/attribute_text.h"
#include "hlo/proto/damage_text.h"
#include "hlo/proto/field_values.h"
#include "hlo/proto/shape_text.h"
#include "hlo/proto/sharding_text.h"

namespace podsim::hlo::proto {
namespace {

using protozero::data_view;

/// The first byte of field 1 as a string or message. As the first byte of a name it would be a line feed.
constexpr char first_field = 0x0A;
constexpr int deepest = 4;

/// The HloModuleProto: its first field is its name; that of the messages around it is a message.
data_view module_of(data_view bytes) {
  for (int depth = 0; depth < deepest; ++depth) {
    protozero::pbf_reader field(bytes);
    if (!field.next(1, protozero::pbf_wire_type::length_delimited)) break;
    const data_view first = field.get_view();
    if (first.empty() || first.data()[0] != first_field) return bytes;
    bytes = first;
  }
  throw base::InputError("no HLO module in the protobuf");
}

/// A name with the characters of HLO's identifiers.
std::string identifier(data_view name) {
  std::string text(name);
  for (char& c : text) {
    const bool valid =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!valid) c = '_';
  }
  return text.empty() ? "unnamed" : text;
}

class ModuleText {
 public:
  explicit ModuleText(data_view module) : module_(module) {
    for (const data_view computation : messages_of(module, 3)) {
      names_[integer_of(computation, 5)] = identifier(bytes_of(computation, 1));
    }
    for (const data_view sequence : messages_of(bytes_of(module, 7), 1)) {
      schedule_[integer_of(sequence, 1)] = integers_of(bytes_of(sequence, 2), 1);
    }
  }

  std::string run() const {
    std::string text =
        "HloModule " + identifier(bytes_of(module_, 1)) + (schedule_.empty() ? "" : ", is_scheduled=true");
    const data_view devices = bytes_of(module_, 15);
    if (const std::int64_t count = integer_of(devices, 1); count > 1) text += fmt::format(", replica_count={}", count);
    if (const std::int64_t count = integer_of(devices, 2); count > 1) text += fmt::format(", num_partitions={}", count);
    const std::string attributes = frontend_attributes_text(bytes_of(module_, 19));
    if (!attributes.empty()) text += ", frontend_attributes=" + attributes;
    for (const data_view computation : messages_of(module_, 3)) text += "\n\n" + computation_text(computation);
    return text + "\n";
  }

  std::map<std::string, std::string, std::less<>> instructions() const {
    std::map<std::string, std::string, std::less<>> texts;
    for (const data_view computation : messages_of(module_, 3)) {
      const std::vector<data_view> messages = messages_of(computation, 2);
      std::map<std::int64_t, std::string> shaped_names;
      for (const data_view instruction : messages) {
        shaped_names[integer_of(instruction, 35)] =
            shape_text(bytes_of(instruction, 3)) + " %" + identifier(bytes_of(instruction, 1));
      }
      for (const data_view instruction : messages) {
        texts.emplace(identifier(bytes_of(instruction, 1)), instruction_text(instruction, shaped_names));
      }
    }
    return texts;
  }

 private:
  std::string computation_text(data_view computation) const {
    const std::int64_t id = integer_of(computation, 5), root = integer_of(computation, 6);
    std::map<std::int64_t, std::string> names;
    std::map<std::int64_t, data_view> by_id;
    Integers order;
    for (const data_view instruction : messages_of(computation, 2)) {
      const std::int64_t own = integer_of(instruction, 35);
      names[own] = "%" + identifier(bytes_of(instruction, 1));
      by_id[own] = instruction;
      order.push_back(own);
    }
    const auto scheduled = schedule_.find(id);
    if (scheduled != schedule_.end() && std::ranges::is_permutation(scheduled->second, order))
      order = scheduled->second;
    std::string text = (id == integer_of(module_, 6) ? "ENTRY %" : "%") + names_.at(id) + " {\n";
    for (const std::int64_t at : order) {
      text += std::string("  ") + (at == root ? "ROOT " : "") + instruction_text(by_id.at(at), names) + "\n";
    }
    return text + "}";
  }

  /// `names` are those of operands as the text has them.
  std::string instruction_text(data_view instruction, const std::map<std::int64_t, std::string>& names) const {
    const auto opcode = std::string(bytes_of(instruction, 2));
    std::vector<std::string> operands;
    if (opcode == "parameter") operands.push_back(std::to_string(integer_of(instruction, 9)));
    if (opcode == "constant") operands.push_back(literal_text(bytes_of(instruction, 8)));
    for (const std::int64_t id : integers_of(instruction, 36)) {
      const auto found = names.find(id);
      if (found == names.end()) throw base::InputError(fmt::format("operand {} does not exist", id));
      operands.push_back(found->second);
    }
    std::string text = fmt::format("%{} = {} {}({})", identifier(bytes_of(instruction, 1)),
                                   shape_text(bytes_of(instruction, 3)), opcode, fmt::join(operands, ", "));
    for (const std::string& attribute : attribute_texts(instruction, opcode, names_)) text += ", " + attribute;
    return text;
  }

  data_view module_;
  ComputationNames names_;
  std::map<std::int64_t, Integers> schedule_;
};

/// What `read` makes of the module in the bytes.
template <typename Read>
auto read_module(const std::string& file, std::string_view bytes, const Read& read) {
  try {
    return read(ModuleText(module_of({bytes.data(), bytes.size()})));
  } catch (const protozero::exception& damage) {
    throw base::InputError("'" + file + "' is a damaged protobuf: " + damage_text(damage));
  } catch (const base::InputError& error) {
    throw base::InputError("'" + file + "': " + error.diagnostics().front().message);
  }
}

/// True for the characters of ASCII that a text has.
bool is_text(char c) { return c >= ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

bool is_module_proto(std::string_view bytes) {
  if (bytes.size() < 4 || bytes[0] != first_field) return false;
  // A message has the length of its first field there. A text has a character, which may be read as a length, but then
  // no other field follows at that distance.
  if (!is_text(bytes[1])) return true;
  const std::size_t end = 2 + std::size_t(bytes[1]);
  if (end == bytes.size()) return bytes[2] == first_field;
  return end < bytes.size() && !is_text(bytes[end]);
}

std::string module_text(const std::string& file, std::string_view bytes) {
  return read_module(file, bytes, [](const ModuleText& module) { return module.run(); });
}

std::map<std::string, std::string, std::less<>> instruction_texts(const std::string& file, std::string_view bytes) {
  return read_module(file, bytes, [](const ModuleText& module) { return module.instructions(); });
}

}  // namespace podsim::hlo::proto
