// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/graph/graph_attributes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sw/hlo/attribute_value.h"
#include "sw/ir/attribute_text.h"

namespace podsim::sw::hlo::graph {
namespace {

std::int64_t read_integer(Scanner& scanner) { return scanner.integer("a number"); }

int read_int(Scanner& scanner) {
  const std::int64_t value = read_integer(scanner);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    scanner.fail_at(scanner.text(), "a number beyond 32 bits");
  }
  return int(value);
}

/// Reads dimension numbers.
std::vector<int> read_ints(Scanner& scanner) {
  std::vector<int> values;
  for (const std::int64_t value : read_integers(scanner)) {
    if (value < 0 || value > std::numeric_limits<int>::max()) {
      scanner.fail_at(scanner.text(), "a dimension's number is at least 0");
    }
    values.push_back(int(value));
  }
  return values;
}

/// Reads a word, or quoted text without its quotes.
std::string read_word(Scanner& scanner) {
  const bool quoted = scanner.peek() == '"';
  return std::string(quoted ? scanner.quoted("a string") : scanner.word("a word"));
}

void set_dimensions(ir::Instruction& instruction, Scanner& scanner) {
  instruction.dimensions = read_integers(scanner);
  const bool single =
      instruction.opcode == ir::Opcode::get_dimension_size || instruction.opcode == ir::Opcode::set_dimension_size;
  if (!single) return;
  if (instruction.dimensions.size() != 1) scanner.fail_at(scanner.text(), "expected one dimension");
  instruction.index = instruction.dimensions[0];
  instruction.dimensions.clear();
}

void set_direction(ir::Instruction& instruction, Scanner& scanner) {
  static constexpr std::array<std::string_view, 6> names{"EQ", "NE", "LT", "LE", "GT", "GE"};
  const auto* found = std::ranges::find(names, scanner.name("a direction"));
  if (found != names.end()) instruction.comparison = ir::ComparisonDirection(found - names.begin());
}

void set_fusion_kind(ir::Instruction& instruction, Scanner& scanner) {
  const std::string_view kind = scanner.name("a kind");
  if (kind == "kInput") instruction.fusion_kind = ir::FusionKind::input;
  if (kind == "kOutput") instruction.fusion_kind = ir::FusionKind::output;
  if (kind == "kCustom") instruction.fusion_kind = ir::FusionKind::custom;
}

void set_pairs(ir::Instruction& instruction, Scanner& scanner) {
  for (const Integers& pair : read_pairs(scanner)) {
    if (pair.size() != 2) scanner.fail_at(scanner.text(), "expected pairs such as {{0,1},{1,0}}");
    instruction.participants.edit().source_target_pairs.emplace_back(pair[0], pair[1]);
  }
}

/// The devices of a send and a recv are in an attribute of the compiler's own.
void set_channel_pairs(ir::Instruction& instruction, Scanner& scanner) {
  static constexpr std::string_view name = "_xla_send_recv_source_target_pairs=";
  if (instruction.opcode != ir::Opcode::send && instruction.opcode != ir::Opcode::recv) return;
  const std::size_t at = scanner.text().find(name);
  if (at == std::string_view::npos) return;
  std::string_view value = scanner.text().substr(at + name.size());
  if (value.starts_with('"')) value = value.substr(1, value.find('"', 1) - 1);
  Scanner pairs(value);
  set_pairs(instruction, pairs);
}

void set_frontend_attributes(ir::Instruction& instruction, Scanner& scanner) {
  const bool chooses = instruction.opcode == ir::Opcode::maximum || instruction.opcode == ir::Opcode::minimum;
  if (!chooses) return set_channel_pairs(instruction, scanner);
  if (scanner.text().find("tie_gradient=\"second\"") != std::string_view::npos) instruction.target = ir::tie_to_second;
}

void set_groups(ir::Instruction& instruction, Scanner& scanner) {
  ReplicaGroups groups = read_replica_groups(scanner);
  // "{{}}" means all devices, as "{}" does.
  std::erase_if(groups.lists, [](const Integers& group) { return group.empty(); });
  instruction.participants.edit().iota = std::move(groups.iota);
  instruction.participants.edit().groups = std::move(groups.lists);
}

void set_metadata(ir::Instruction& instruction, Scanner& scanner) {
  for (const Field& field : read_fields(scanner)) {
    if (field.name == "op_name") instruction.op_name = std::string(field.value);
    if (!field.name.starts_with("source_")) continue;
    const std::string quote = field.name == "source_file" ? "\"" : "";
    instruction.source += (instruction.source.empty() ? "" : " ") + std::string(field.name) + "=" + quote +
                          std::string(field.value) + quote;
  }
}

struct Setter {
  std::string_view name;
  void (*set)(ir::Instruction&, Scanner&);
};

constexpr auto setters = std::to_array<Setter>({
    {"algorithm", [](ir::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"batch_group_count", [](ir::Instruction& i, Scanner& s) { i.batch_groups = read_integer(s); }},
    {"channel_id", [](ir::Instruction& i, Scanner& s) { i.participants.edit().channel_id = read_integer(s); }},
    {"collapsed_slice_dims", [](ir::Instruction& i, Scanner& s) { i.gather.edit().collapsed = read_ints(s); }},
    {"custom_call_target", [](ir::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"delta", [](ir::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"dim_labels", [](ir::Instruction& i, Scanner& s) { i.convolution = read_dimension_labels(s); }},
    {"dimensions", set_dimensions},
    {"direction", set_direction},
    {"distribution", [](ir::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"dynamic_slice_sizes", [](ir::Instruction& i, Scanner& s) { i.slice_sizes = read_integers(s); }},
    {"epsilon", [](ir::Instruction& i, Scanner& s) { i.epsilon = read_number(s); }},
    {"exponent_bits", [](ir::Instruction& i, Scanner& s) { i.exponent_bits = read_int(s); }},
    {"feature_group_count", [](ir::Instruction& i, Scanner& s) { i.feature_groups = read_integer(s); }},
    {"feature_index", [](ir::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"fft_length", [](ir::Instruction& i, Scanner& s) { i.dimensions = read_integers(s); }},
    {"fft_type", [](ir::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"frontend_attributes", set_frontend_attributes},
    {"index", [](ir::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"index_vector_dim", [](ir::Instruction& i, Scanner& s) { i.gather.edit().index_vector = read_int(s); }},
    {"infeed_config", [](ir::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"input_batching_dims", [](ir::Instruction& i, Scanner& s) { i.gather.edit().operand_batching = read_ints(s); }},
    {"inserted_window_dims", [](ir::Instruction& i, Scanner& s) { i.gather.edit().collapsed = read_ints(s); }},
    {"iota_dimension", [](ir::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"is_stable", [](ir::Instruction& i, Scanner& s) { i.is_stable = read_boolean(s); }},
    {"k", [](ir::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"kind", set_fusion_kind},
    {"largest", [](ir::Instruction& i, Scanner& s) { i.largest = read_boolean(s); }},
    {"left_side", [](ir::Instruction& i, Scanner& s) { i.triangular.left_side = read_boolean(s); }},
    {"lhs_batch_dims", [](ir::Instruction& i, Scanner& s) { i.dot.edit().lhs_batch = read_ints(s); }},
    {"lhs_contracting_dims", [](ir::Instruction& i, Scanner& s) { i.dot.edit().lhs_contracting = read_ints(s); }},
    {"lower", [](ir::Instruction& i, Scanner& s) { i.triangular.lower = read_boolean(s); }},
    {"mantissa_bits", [](ir::Instruction& i, Scanner& s) { i.mantissa_bits = read_int(s); }},
    {"metadata", set_metadata},
    {"offset_dims", [](ir::Instruction& i, Scanner& s) { i.gather.edit().offset = read_ints(s); }},
    {"operand_batching_dims", [](ir::Instruction& i, Scanner& s) { i.gather.edit().operand_batching = read_ints(s); }},
    {"operand_precision", [](ir::Instruction& i, Scanner& s) { i.operand_precision = std::string(s.text()); }},
    {"outfeed_config", [](ir::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"padding", [](ir::Instruction& i, Scanner& s) { i.padding = read_padding(s); }},
    {"replica_groups", set_groups},
    {"rhs_batch_dims", [](ir::Instruction& i, Scanner& s) { i.dot.edit().rhs_batch = read_ints(s); }},
    {"rhs_contracting_dims", [](ir::Instruction& i, Scanner& s) { i.dot.edit().rhs_contracting = read_ints(s); }},
    {"scatter_dims_to_operand_dims", [](ir::Instruction& i, Scanner& s) { i.gather.edit().index_map = read_ints(s); }},
    {"scatter_indices_batching_dims",
     [](ir::Instruction& i, Scanner& s) { i.gather.edit().indices_batching = read_ints(s); }},
    {"slice", [](ir::Instruction& i, Scanner& s) { i.slice = read_slice(s); }},
    {"slice_sizes", [](ir::Instruction& i, Scanner& s) { i.slice_sizes = read_slice_sizes(s); }},
    {"source_target_pairs", set_pairs},
    {"start_index_map", [](ir::Instruction& i, Scanner& s) { i.gather.edit().index_map = read_ints(s); }},
    {"start_indices_batching_dims",
     [](ir::Instruction& i, Scanner& s) { i.gather.edit().indices_batching = read_ints(s); }},
    {"transpose_a", [](ir::Instruction& i, Scanner& s) { i.triangular.transpose = read_word(s) != "NO_TRANSPOSE"; }},
    {"type", [](ir::Instruction& i, Scanner& s) { i.total_order = read_word(s) == "TOTALORDER"; }},
    {"unit_diagonal", [](ir::Instruction& i, Scanner& s) { i.triangular.unit_diagonal = read_boolean(s); }},
    {"update_window_dims", [](ir::Instruction& i, Scanner& s) { i.gather.edit().offset = read_ints(s); }},
    {"use_global_device_ids",
     [](ir::Instruction& i, Scanner& s) { i.participants.edit().use_global_device_ids = read_boolean(s); }},
    {"window", [](ir::Instruction& i, Scanner& s) { i.window = read_window(s); }},
});
static_assert(std::ranges::is_sorted(setters, {}, &Setter::name));

}  // namespace

void set_attributes(ir::Instruction& instruction, std::span<const Attribute> attributes) {
  for (const Attribute& attribute : attributes) {
    const auto* setter = std::ranges::lower_bound(setters, attribute.name, {}, &Setter::name);
    if (setter == setters.end() || setter->name != attribute.name) continue;
    Scanner scanner(attribute.value);
    setter->set(instruction, scanner);
  }
}

}  // namespace podsim::sw::hlo::graph
