// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/graph_attributes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "hlo/attribute_text.h"
#include "hlo/text/attribute_value.h"

namespace podsim::hlo::text::graph {
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

void set_dimensions(hlo::Instruction& instruction, Scanner& scanner) {
  instruction.dimensions = read_integers(scanner);
  const bool single =
      instruction.opcode == hlo::Opcode::get_dimension_size || instruction.opcode == hlo::Opcode::set_dimension_size;
  if (!single) return;
  if (instruction.dimensions.size() != 1) scanner.fail_at(scanner.text(), "expected one dimension");
  instruction.index = instruction.dimensions[0];
  instruction.dimensions.clear();
}

void set_direction(hlo::Instruction& instruction, Scanner& scanner) {
  static constexpr std::array<std::string_view, 6> names{"EQ", "NE", "LT", "LE", "GT", "GE"};
  const auto* found = std::ranges::find(names, scanner.name("a direction"));
  if (found != names.end()) instruction.comparison = hlo::ComparisonDirection(found - names.begin());
}

void set_fusion_kind(hlo::Instruction& instruction, Scanner& scanner) {
  const std::string_view kind = scanner.name("a kind");
  if (kind == "kInput") instruction.fusion_kind = hlo::FusionKind::input;
  if (kind == "kOutput") instruction.fusion_kind = hlo::FusionKind::output;
  if (kind == "kCustom") instruction.fusion_kind = hlo::FusionKind::custom;
}

void set_pairs(hlo::Instruction& instruction, Scanner& scanner) {
  for (const Integers& pair : read_pairs(scanner)) {
    if (pair.size() != 2) scanner.fail_at(scanner.text(), "expected pairs such as {{0,1},{1,0}}");
    instruction.participants.edit().source_target_pairs.emplace_back(pair[0], pair[1]);
  }
}

/// The devices of a send and a recv are in an attribute of the compiler's own.
void set_channel_pairs(hlo::Instruction& instruction, Scanner& scanner) {
  static constexpr std::string_view name = "_xla_send_recv_source_target_pairs=";
  if (instruction.opcode != hlo::Opcode::send && instruction.opcode != hlo::Opcode::recv) return;
  const std::size_t at = scanner.text().find(name);
  if (at == std::string_view::npos) return;
  std::string_view value = scanner.text().substr(at + name.size());
  if (value.starts_with('"')) value = value.substr(1, value.find('"', 1) - 1);
  Scanner pairs(value);
  set_pairs(instruction, pairs);
}

void set_frontend_attributes(hlo::Instruction& instruction, Scanner& scanner) {
  if (instruction.opcode == hlo::Opcode::copy && instruction.phase == hlo::AsyncPhase::none) {
    for (const std::string_view kind : {hlo::stopped_gradient, hlo::lost_gradient}) {
      const std::string said = "gradient=\"" + std::string(kind) + "\"";
      if (scanner.text().find(said) != std::string_view::npos) instruction.target = kind;
    }
    return;
  }
  const bool chooses = instruction.opcode == hlo::Opcode::maximum || instruction.opcode == hlo::Opcode::minimum;
  if (!chooses) return set_channel_pairs(instruction, scanner);
  if (scanner.text().find("tie_gradient=\"second\"") != std::string_view::npos) instruction.target = hlo::tie_to_second;
}

void set_groups(hlo::Instruction& instruction, Scanner& scanner) {
  ReplicaGroups groups = read_replica_groups(scanner);
  // "{{}}" means all devices, as "{}" does.
  std::erase_if(groups.lists, [](const Integers& group) { return group.empty(); });
  instruction.participants.edit().iota = std::move(groups.iota);
  instruction.participants.edit().groups = std::move(groups.lists);
}

void set_metadata(hlo::Instruction& instruction, Scanner& scanner) {
  for (const Field& field : read_fields(scanner)) {
    if (field.name == "op_name") instruction.op_name = std::string(field.value);
    if (!field.name.starts_with("source_")) continue;
    const std::string quote = field.name == "source_file" ? "\"" : "";
    instruction.source += (instruction.source.empty() ? "" : " ") + std::string(field.name) + "=" + quote +
                          std::string(field.value) + quote;
  }
}

/// The ragged dimension of the left operand is the first of a ragged-dot's `dimensions`, wherever the text has it.
void set_ragged_dimension(hlo::Instruction& instruction, Scanner& scanner) {
  const std::vector<int> ragged = read_ints(scanner);
  if (ragged.size() != 1) scanner.fail_at(scanner.text(), "expected one ragged dimension");
  instruction.dimensions.insert(instruction.dimensions.begin(), ragged[0]);
}

void set_group_dimension(hlo::Instruction& instruction, Scanner& scanner) {
  const std::vector<int> group = read_ints(scanner);
  if (group.size() > 1) scanner.fail_at(scanner.text(), "expected at most one dimension of groups");
  instruction.dimensions.insert(instruction.dimensions.end(), group.begin(), group.end());
}

/// "lower,sort,sweeps,tolerance" of Eigh. Its eigenvalues are sorted in any case.
void set_eigenvalue_options(hlo::Instruction& instruction, Scanner& scanner) {
  Scanner fields(scanner.text());
  fields.accept('"');
  instruction.triangular.lower = fields.integer("1 for the lower triangle") != 0;
  fields.expect(',');
  fields.integer("1 for sorted eigenvalues");
  fields.expect(',');
  instruction.index = fields.integer("the most sweeps");
  fields.expect(',');
  instruction.epsilon = read_number(fields);
}

/// An annotation's dimensions that propagation may split further, backend_config="unspecified_dims=[0,1]"; the options
/// of Eigh.
void set_call_configuration(hlo::Instruction& instruction, Scanner& scanner) {
  if (instruction.opcode != hlo::Opcode::custom_call) return;
  if (instruction.target == "Eigh") return set_eigenvalue_options(instruction, scanner);
  constexpr std::string_view name = "unspecified_dims=[";
  const std::size_t at = scanner.text().find(name);
  if (at == std::string_view::npos) return;
  Scanner list(scanner.text().substr(at + name.size()));
  do {
    instruction.dimensions.push_back(list.integer("a dimension's number"));
  } while (list.accept(','));
}

void set_transpose(hlo::Instruction& instruction, Scanner& scanner) {
  const std::string word = read_word(scanner);
  instruction.triangular.transpose = word != "NO_TRANSPOSE";
  if (word == hlo::adjoint && hlo::is_complex(instruction.shape.element_type)) instruction.target = word;
}

struct Setter {
  std::string_view name;
  void (*set)(hlo::Instruction&, Scanner&);
};

constexpr auto setters = std::to_array<Setter>({
    {"algorithm", [](hlo::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"backend_config", set_call_configuration},
    {"batch_group_count", [](hlo::Instruction& i, Scanner& s) { i.batch_groups = read_integer(s); }},
    {"channel_id", [](hlo::Instruction& i, Scanner& s) { i.participants.edit().channel_id = read_integer(s); }},
    {"collapsed_slice_dims", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().collapsed = read_ints(s); }},
    {"custom_call_target", [](hlo::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"delta", [](hlo::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"dim_labels", [](hlo::Instruction& i, Scanner& s) { i.convolution = read_dimension_labels(s); }},
    {"dimensions", set_dimensions},
    {"direction", set_direction},
    {"distribution", [](hlo::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"dynamic_slice_sizes", [](hlo::Instruction& i, Scanner& s) { i.slice_sizes = read_integers(s); }},
    {"epsilon", [](hlo::Instruction& i, Scanner& s) { i.epsilon = read_number(s); }},
    {"exponent_bits", [](hlo::Instruction& i, Scanner& s) { i.exponent_bits = read_int(s); }},
    {"feature_group_count", [](hlo::Instruction& i, Scanner& s) { i.feature_groups = read_integer(s); }},
    {"feature_index", [](hlo::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"fft_length", [](hlo::Instruction& i, Scanner& s) { i.dimensions = read_integers(s); }},
    {"fft_type", [](hlo::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"frontend_attributes", set_frontend_attributes},
    {"index", [](hlo::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"index_vector_dim", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().index_vector = read_int(s); }},
    {"infeed_config", [](hlo::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"input_batching_dims", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().operand_batching = read_ints(s); }},
    {"inserted_window_dims", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().collapsed = read_ints(s); }},
    {"iota_dimension", [](hlo::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"is_stable", [](hlo::Instruction& i, Scanner& s) { i.is_stable = read_boolean(s); }},
    {"k", [](hlo::Instruction& i, Scanner& s) { i.index = read_integer(s); }},
    {"kind", set_fusion_kind},
    {"largest", [](hlo::Instruction& i, Scanner& s) { i.largest = read_boolean(s); }},
    {"left_side", [](hlo::Instruction& i, Scanner& s) { i.triangular.left_side = read_boolean(s); }},
    {"lhs_batch_dims", [](hlo::Instruction& i, Scanner& s) { i.dot.edit().lhs_batch = read_ints(s); }},
    {"lhs_contracting_dims", [](hlo::Instruction& i, Scanner& s) { i.dot.edit().lhs_contracting = read_ints(s); }},
    {"lhs_ragged_dims", set_ragged_dimension},
    {"lower", [](hlo::Instruction& i, Scanner& s) { i.triangular.lower = read_boolean(s); }},
    {"mantissa_bits", [](hlo::Instruction& i, Scanner& s) { i.mantissa_bits = read_int(s); }},
    {"metadata", set_metadata},
    {"offset_dims", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().offset = read_ints(s); }},
    {"operand_batching_dims", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().operand_batching = read_ints(s); }},
    {"operand_precision", [](hlo::Instruction& i, Scanner& s) { i.operand_precision = std::string(s.text()); }},
    {"outfeed_config", [](hlo::Instruction& i, Scanner& s) { i.target = read_word(s); }},
    {"padding", [](hlo::Instruction& i, Scanner& s) { i.padding = read_padding(s); }},
    {"replica_groups", set_groups},
    {"rhs_batch_dims", [](hlo::Instruction& i, Scanner& s) { i.dot.edit().rhs_batch = read_ints(s); }},
    {"rhs_contracting_dims", [](hlo::Instruction& i, Scanner& s) { i.dot.edit().rhs_contracting = read_ints(s); }},
    {"rhs_group_dims", set_group_dimension},
    {"scatter_dims_to_operand_dims", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().index_map = read_ints(s); }},
    {"scatter_indices_batching_dims",
     [](hlo::Instruction& i, Scanner& s) { i.gather.edit().indices_batching = read_ints(s); }},
    {"slice", [](hlo::Instruction& i, Scanner& s) { i.slice = read_slice(s); }},
    {"slice_sizes", [](hlo::Instruction& i, Scanner& s) { i.slice_sizes = read_slice_sizes(s); }},
    {"source_target_pairs", set_pairs},
    {"start_index_map", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().index_map = read_ints(s); }},
    {"start_indices_batching_dims",
     [](hlo::Instruction& i, Scanner& s) { i.gather.edit().indices_batching = read_ints(s); }},
    {"transpose_a", set_transpose},
    {"type", [](hlo::Instruction& i, Scanner& s) { i.total_order = read_word(s) == "TOTALORDER"; }},
    {"unit_diagonal", [](hlo::Instruction& i, Scanner& s) { i.triangular.unit_diagonal = read_boolean(s); }},
    {"update_window_dims", [](hlo::Instruction& i, Scanner& s) { i.gather.edit().offset = read_ints(s); }},
    {"use_global_device_ids",
     [](hlo::Instruction& i, Scanner& s) { i.participants.edit().use_global_device_ids = read_boolean(s); }},
    {"window", [](hlo::Instruction& i, Scanner& s) { i.window = read_window(s); }},
});
static_assert(std::ranges::is_sorted(setters, {}, &Setter::name));

}  // namespace

void set_attributes(hlo::Instruction& instruction, std::span<const Attribute> attributes) {
  for (const Attribute& attribute : attributes) {
    const auto* setter = std::ranges::lower_bound(setters, attribute.name, {}, &Setter::name);
    if (setter == setters.end() || setter->name != attribute.name) continue;
    Scanner scanner(attribute.value);
    setter->set(instruction, scanner);
  }
}

}  // namespace podsim::hlo::text::graph
