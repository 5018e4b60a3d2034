// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/graph_attributes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sw/hlo/attribute_value.h"

namespace podsim::sw::hlo {
namespace {

using Instruction = sw::Instruction;

std::int64_t read_integer(Scanner& scanner) { return scanner.integer("a number"); }

int read_int(Scanner& scanner) {
  const std::int64_t value = read_integer(scanner);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    scanner.fail_at(scanner.text(), "a number beyond 32 bits");
  }
  return int(value);
}

/// Dimension numbers.
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

/// A word, or what stands between quotes.
std::string read_word(Scanner& scanner) {
  const bool quoted = scanner.peek() == '"';
  return std::string(quoted ? scanner.quoted("a string") : scanner.word("a word"));
}

void set_dimensions(Instruction& instruction, Scanner& scanner) {
  instruction.dimensions = read_integers(scanner);
  const bool single =
      instruction.opcode == Opcode::get_dimension_size || instruction.opcode == Opcode::set_dimension_size;
  if (!single) return;
  if (instruction.dimensions.size() != 1) scanner.fail_at(scanner.text(), "expected one dimension");
  instruction.index = instruction.dimensions[0];
  instruction.dimensions.clear();
}

void set_direction(Instruction& instruction, Scanner& scanner) {
  static constexpr std::array<std::string_view, 6> names{"EQ", "NE", "LT", "LE", "GT", "GE"};
  const auto* found = std::ranges::find(names, scanner.name("a direction"));
  if (found != names.end()) instruction.comparison = ComparisonDirection(found - names.begin());
}

void set_fusion_kind(Instruction& instruction, Scanner& scanner) {
  const std::string_view kind = scanner.name("a kind");
  if (kind == "kInput") instruction.fusion_kind = FusionKind::input;
  if (kind == "kOutput") instruction.fusion_kind = FusionKind::output;
  if (kind == "kCustom") instruction.fusion_kind = FusionKind::custom;
}

void set_pairs(Instruction& instruction, Scanner& scanner) {
  for (const Integers& pair : read_pairs(scanner)) {
    if (pair.size() != 2) scanner.fail_at(scanner.text(), "expected pairs such as {{0,1},{1,0}}");
    instruction.participants.source_target_pairs.emplace_back(pair[0], pair[1]);
  }
}

void set_groups(Instruction& instruction, Scanner& scanner) {
  ReplicaGroups groups = read_replica_groups(scanner);
  // "{{}}" is everybody, as "{}" is.
  std::erase_if(groups.lists, [](const Integers& group) { return group.empty(); });
  instruction.participants.iota = std::move(groups.iota);
  instruction.participants.groups = std::move(groups.lists);
}

void set_metadata(Instruction& instruction, Scanner& scanner) {
  for (const Field& field : read_fields(scanner)) {
    if (field.name == "op_name") instruction.op_name = std::string(field.value);
  }
}

struct Setter {
  std::string_view name;
  void (*set)(Instruction&, Scanner&);
};

constexpr auto setters = std::to_array<Setter>({
    {"algorithm", [](Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"batch_group_count", [](Instruction& i, Scanner& s) { i.batch_groups = read_integer(s); }},
    {"channel_id", [](Instruction& i, Scanner& s) { i.participants.channel_id = read_integer(s); }},
    {"collapsed_slice_dims", [](Instruction& i, Scanner& s) { i.gather.collapsed = read_ints(s); }},
    {"custom_call_target", [](Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"delta", [](Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"dim_labels", [](Instruction& i, Scanner& s) { i.convolution = read_dimension_labels(s); }},
    {"dimensions", set_dimensions},
    {"direction", set_direction},
    {"distribution", [](Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"dynamic_slice_sizes", [](Instruction& i, Scanner& s) { i.slice_sizes = read_integers(s); }},
    {"epsilon", [](Instruction& i, Scanner& s) { i.epsilon = read_number(s); }},
    {"exponent_bits", [](Instruction& i, Scanner& s) { i.exponent_bits = read_int(s); }},
    {"feature_group_count", [](Instruction& i, Scanner& s) { i.feature_groups = read_integer(s); }},
    {"feature_index", [](Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"fft_length", [](Instruction& i, Scanner& s) { i.dimensions = read_integers(s); }},
    {"fft_type", [](Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"index", [](Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"index_vector_dim", [](Instruction& i, Scanner& s) { i.gather.index_vector = read_int(s); }},
    {"infeed_config", [](Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"input_batching_dims", [](Instruction& i, Scanner& s) { i.gather.operand_batching = read_ints(s); }},
    {"inserted_window_dims", [](Instruction& i, Scanner& s) { i.gather.collapsed = read_ints(s); }},
    {"iota_dimension", [](Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"is_stable", [](Instruction& i, Scanner& s) { i.is_stable = read_boolean(s); }},
    {"k", [](Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"kind", set_fusion_kind},
    {"largest", [](Instruction& i, Scanner& s) { i.largest = read_boolean(s); }},
    {"left_side", [](Instruction& i, Scanner& s) { i.triangular.left_side = read_boolean(s); }},
    {"lhs_batch_dims", [](Instruction& i, Scanner& s) { i.dot.lhs_batch = read_ints(s); }},
    {"lhs_contracting_dims", [](Instruction& i, Scanner& s) { i.dot.lhs_contracting = read_ints(s); }},
    {"lower", [](Instruction& i, Scanner& s) { i.triangular.lower = read_boolean(s); }},
    {"mantissa_bits", [](Instruction& i, Scanner& s) { i.mantissa_bits = read_int(s); }},
    {"metadata", set_metadata},
    {"offset_dims", [](Instruction& i, Scanner& s) { i.gather.offset = read_ints(s); }},
    {"operand_batching_dims", [](Instruction& i, Scanner& s) { i.gather.operand_batching = read_ints(s); }},
    {"outfeed_config", [](Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"padding", [](Instruction& i, Scanner& s) { i.padding = read_padding(s); }},
    {"replica_groups", set_groups},
    {"rhs_batch_dims", [](Instruction& i, Scanner& s) { i.dot.rhs_batch = read_ints(s); }},
    {"rhs_contracting_dims", [](Instruction& i, Scanner& s) { i.dot.rhs_contracting = read_ints(s); }},
    {"scatter_dims_to_operand_dims", [](Instruction& i, Scanner& s) { i.gather.index_map = read_ints(s); }},
    {"scatter_indices_batching_dims", [](Instruction& i, Scanner& s) { i.gather.indices_batching = read_ints(s); }},
    {"slice", [](Instruction& i, Scanner& s) { i.slice = read_slice(s); }},
    {"slice_sizes", [](Instruction& i, Scanner& s) { i.slice_sizes = read_integers(s); }},
    {"source_target_pairs", set_pairs},
    {"start_index_map", [](Instruction& i, Scanner& s) { i.gather.index_map = read_ints(s); }},
    {"start_indices_batching_dims", [](Instruction& i, Scanner& s) { i.gather.indices_batching = read_ints(s); }},
    {"transpose_a", [](Instruction& i, Scanner& s) { i.triangular.transpose = read_word(s) != "NO_TRANSPOSE"; }},
    {"type", [](Instruction& i, Scanner& s) { i.total_order = read_word(s) == "TOTALORDER"; }},
    {"unit_diagonal", [](Instruction& i, Scanner& s) { i.triangular.unit_diagonal = read_boolean(s); }},
    {"update_window_dims", [](Instruction& i, Scanner& s) { i.gather.offset = read_ints(s); }},
    {"use_global_device_ids",
     [](Instruction& i, Scanner& s) { i.participants.use_global_device_ids = read_boolean(s); }},
    {"window", [](Instruction& i, Scanner& s) { i.window = read_window(s); }},
});
static_assert(std::ranges::is_sorted(setters, {}, &Setter::name));

}  // namespace

void set_attributes(Instruction& instruction, std::span<const Attribute> attributes) {
  for (const Attribute& attribute : attributes) {
    const auto* setter = std::ranges::lower_bound(setters, attribute.name, {}, &Setter::name);
    if (setter == setters.end() || setter->name != attribute.name) continue;
    Scanner scanner(attribute.value);
    setter->set(instruction, scanner);
  }
}

}  // namespace podsim::sw::hlo
