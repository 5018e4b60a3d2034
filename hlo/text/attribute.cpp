// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/text/attribute_value.h"

namespace podsim::hlo::text {
namespace {

using Form = AttributeForm;

constexpr auto attribute_rows = std::to_array<AttributeRow>({
    {"async_execution_thread", Form::quoted, ""},
    {"backend_config", Form::free, ""},
    {"batch_group_count", Form::integer, ""},
    {"body", Form::computations, ""},
    {"branch_computations", Form::computations, ""},
    {"called_computations", Form::computations, ""},
    {"calls", Form::computations, ""},
    {"channel_id", Form::integer, ""},
    {"collapsed_slice_dims", Form::integers, ""},
    {"condition", Form::computations, ""},
    {"constrain_layout", Form::boolean, ""},
    {"control-predecessors", Form::instructions, ""},
    {"custom_call_has_side_effect", Form::boolean, ""},
    {"custom_call_target", Form::quoted, ""},
    {"delta", Form::integer, ""},
    {"dim_labels", Form::dimension_labels, ""},
    {"dimensions", Form::integers, ""},
    {"direction", Form::choice, "EQ NE LT LE GT GE"},
    {"distribution", Form::choice, "rng_uniform rng_normal"},
    {"dynamic_slice_sizes", Form::integers, ""},
    {"epsilon", Form::number, ""},
    {"execution_thread", Form::quoted, ""},
    {"exponent_bits", Form::integer, ""},
    {"false_computation", Form::computations, ""},
    {"feature_group_count", Form::integer, ""},
    {"feature_index", Form::integer, ""},
    {"fft_length", Form::integers, ""},
    {"fft_type", Form::choice, "FFT IFFT RFFT IRFFT"},
    {"frontend_attributes", Form::fields, ""},
    {"index", Form::integer, ""},
    {"index_vector_dim", Form::integer, ""},
    {"indices_are_sorted", Form::boolean, ""},
    {"input_batching_dims", Form::integers, ""},
    {"input_output_alias", Form::aliases, ""},
    {"inserted_window_dims", Form::integers, ""},
    {"iota_dimension", Form::integer, ""},
    {"is_host_transfer", Form::boolean, ""},
    {"is_scheduled", Form::boolean, ""},
    {"is_stable", Form::boolean, ""},
    {"k", Form::integer, ""},
    {"kind", Form::choice, "kLoop kInput kOutput kCustom"},
    {"largest", Form::boolean, ""},
    {"lhs_batch_dims", Form::integers, ""},
    {"lhs_contracting_dims", Form::integers, ""},
    {"lhs_ragged_dims", Form::integers, ""},
    {"lower", Form::boolean, ""},
    {"mantissa_bits", Form::integer, ""},
    {"metadata", Form::fields, ""},
    {"num_partitions", Form::integer, ""},
    {"offset_dims", Form::integers, ""},
    {"operand_batching_dims", Form::integers, ""},
    {"output_to_operand_aliasing", Form::aliases, ""},
    {"padding", Form::padding, ""},
    {"replica_count", Form::integer, ""},
    {"replica_groups", Form::replica_groups, ""},
    {"rhs_batch_dims", Form::integers, ""},
    {"rhs_contracting_dims", Form::integers, ""},
    {"rhs_group_dims", Form::integers, ""},
    {"scatter", Form::computations, ""},
    {"scatter_dims_to_operand_dims", Form::integers, ""},
    {"scatter_indices_batching_dims", Form::integers, ""},
    {"select", Form::computations, ""},
    {"sharding", Form::sharding, ""},
    {"slice", Form::slice, ""},
    {"slice_sizes", Form::slice_sizes, ""},
    {"source_target_pairs", Form::pairs, ""},
    {"start_index_map", Form::integers, ""},
    {"start_indices_batching_dims", Form::integers, ""},
    {"to_apply", Form::computations, ""},
    {"transpose_a", Form::choice, "NO_TRANSPOSE TRANSPOSE ADJOINT"},
    {"true_computation", Form::computations, ""},
    {"type", Form::choice, "FLOAT TOTALORDER SIGNED UNSIGNED"},
    {"unique_indices", Form::boolean, ""},
    {"unit_diagonal", Form::boolean, ""},
    {"update_window_dims", Form::integers, ""},
    {"use_global_device_ids", Form::boolean, ""},
    {"window", Form::window, ""},
});
static_assert(std::ranges::is_sorted(attribute_rows, {}, &AttributeRow::name));

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

void read_choice(Scanner& scanner, std::string_view choices) {
  const std::vector<std::string> names = words(choices);
  const std::string_view word = scanner.name(fmt::format("one of {}", choices));
  if (std::ranges::find(names, word) != names.end()) return;
  std::string hint = base::did_you_mean(word, names);
  if (hint.empty()) hint = fmt::format("one of {}", choices);
  scanner.fail_at(word, fmt::format("'{}' is not a value of this attribute", word), hint);
}

void check_value(Scanner& scanner, const AttributeRow& row) {
  switch (row.form) {
    case Form::integer:
      scanner.integer("a number");
      return;
    case Form::number:
      read_number(scanner);
      return;
    case Form::boolean:
      read_boolean(scanner);
      return;
    case Form::choice:
      read_choice(scanner, row.choices);
      return;
    case Form::quoted:
      scanner.quoted("a string");
      return;
    case Form::integers:
      read_integers(scanner);
      return;
    case Form::computations:
    case Form::instructions:
      read_names(scanner);
      return;
    case Form::window:
      read_window(scanner);
      return;
    case Form::dimension_labels:
      read_dimension_labels(scanner);
      return;
    case Form::slice:
      read_slice(scanner);
      return;
    case Form::padding:
      read_padding(scanner);
      return;
    case Form::replica_groups:
      read_replica_groups(scanner);
      return;
    case Form::slice_sizes:
      read_slice_sizes(scanner);
      return;
    case Form::pairs:
      read_pairs(scanner);
      return;
    case Form::sharding:
      read_sharding(scanner);
      return;
    case Form::fields:
      read_fields(scanner);
      return;
    case Form::aliases:
      read_aliases(scanner);
      return;
    case Form::free:
      scanner.balanced("a value");
      return;
  }
}

}  // namespace

std::span<const AttributeRow> attribute_table() { return attribute_rows; }

const AttributeRow* find_attribute_row(std::string_view name) {
  const auto found = std::ranges::lower_bound(attribute_rows, name, {}, &AttributeRow::name);
  return found != attribute_rows.end() && found->name == name ? &*found : nullptr;
}

Attribute read_attribute(Scanner& scanner) {
  const std::string_view name = scanner.name("an attribute");
  scanner.expect('=', "after an attribute's name");
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const AttributeRow* known = find_attribute_row(name);
  if (known != nullptr) {
    check_value(scanner, *known);
  } else {
    scanner.balanced("a value");
  }
  return {name, scanner.text().substr(begin, scanner.offset() - begin)};
}

std::string attribute_hint(std::string_view name) {
  std::vector<std::string> names;
  for (const AttributeRow& known : attribute_rows) names.emplace_back(known.name);
  return base::did_you_mean(name, names);
}

}  // namespace podsim::hlo::text
