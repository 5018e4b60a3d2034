// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/attribute_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/diagnostic.h"
#include "hlo/proto/field_values.h"
#include "hlo/proto/sharding_text.h"

namespace podsim::hlo::proto {
namespace {

using protozero::data_view;
using protozero::pbf_tag_type;

/// Collects the attributes of one instruction.
class Attributes {
 public:
  Attributes(data_view instruction, const std::string& opcode, const ComputationNames& computations)
      : i_(instruction), opcode_(opcode), computations_(computations) {}

  std::vector<std::string> run() {
    add_dimensions();
    add_window();
    add_convolution();
    add_slices();
    add_dot();
    add_precision();
    add_indexed();
    add_participants();
    add_words();
    add_called();
    add_annotations();
    add_metadata();
    return std::move(texts_);
  }

 private:
  bool is(std::initializer_list<std::string_view> opcodes) const {
    return std::ranges::find(opcodes, opcode_) != opcodes.end();
  }

  template <class Value>
  void add(std::string_view name, const Value& value) {
    texts_.push_back(fmt::format("{}={}", name, value));
  }
  template <class Values>
  void add_list(std::string_view name, const Values& values) {
    texts_.push_back(fmt::format("{}={{{}}}", name, fmt::join(values, ",")));
  }
  void add_list_if_any(std::string_view name, const Integers& values) {
    if (!values.empty()) add_list(name, values);
  }
  void add_number(std::string_view name, pbf_tag_type tag) { add(name, integer_of(i_, tag)); }

  void add_dimensions() {
    const Integers dimensions = integers_of(i_, 14);
    if (opcode_ == "iota") {
      add("iota_dimension", dimensions.empty() ? 0 : dimensions.front());
    } else if (opcode_ == "fft") {
      add_list("fft_length", integers_of(i_, 32));
    } else if (!dimensions.empty() || is({"broadcast", "reduce", "transpose", "reverse"})) {
      add_list("dimensions", dimensions);
    }
  }

  /// Values of a field of every window dimension, joined; nothing if all are `usual`.
  static std::string window_part(const std::vector<data_view>& window, std::string_view name, pbf_tag_type tag,
                                 std::int64_t usual) {
    Integers values;
    for (const data_view dimension : window) values.push_back(integer_of(dimension, tag));
    const bool differs = std::ranges::any_of(values, [&](std::int64_t value) { return value != usual; });
    return differs ? fmt::format(" {}={}", name, fmt::join(values, "x")) : "";
  }

  void add_window() {
    const std::vector<data_view> window = messages_of(bytes_of(i_, 15), 1);
    if (window.empty()) return;
    Integers sizes;
    std::vector<std::string> padding;
    bool padded = false;
    for (const data_view dimension : window) {
      sizes.push_back(integer_of(dimension, 1));
      const std::int64_t low = integer_of(dimension, 3), high = integer_of(dimension, 4);
      padding.push_back(fmt::format("{}_{}", low, high));
      padded = padded || low != 0 || high != 0;
    }
    texts_.push_back(fmt::format(
        "window={{size={}{}{}{}{}{}}}", fmt::join(sizes, "x"), window_part(window, "stride", 2, 1),
        padded ? fmt::format(" pad={}", fmt::join(padding, "x")) : "", window_part(window, "lhs_dilate", 6, 1),
        window_part(window, "rhs_dilate", 5, 1), window_part(window, "rhs_reversal", 7, 0)));
  }

  static std::string labels(std::int64_t first, char first_label, std::int64_t second, char second_label,
                            const Integers& spatial) {
    constexpr std::int64_t most = 64;
    std::string text(spatial.size() + 2, '?');
    const auto place = [&](std::int64_t at, char label) {
      if (at < 0 || at >= std::min(most, std::int64_t(text.size()))) {
        throw base::InputError("a convolution numbers dimensions that it does not have");
      }
      text[std::size_t(at)] = label;
    };
    place(first, first_label);
    place(second, second_label);
    for (std::size_t i = 0; i < spatial.size(); ++i) place(spatial[i], char('0' + i));
    return text;
  }

  void add_convolution() {
    if (opcode_ != "convolution") return;
    const data_view roles = bytes_of(i_, 16);
    const auto number = [&](pbf_tag_type tag) { return integer_of(roles, tag); };
    add("dim_labels", labels(number(7), 'b', number(8), 'f', integers_of(roles, 11)) + "_" +
                          labels(number(3), 'i', number(4), 'o', integers_of(roles, 6)) + "->" +
                          labels(number(9), 'b', number(10), 'f', integers_of(roles, 12)));
    if (const std::int64_t groups = integer_of(i_, 50, 1); groups > 1) add("feature_group_count", groups);
    if (const std::int64_t groups = integer_of(i_, 58, 1); groups > 1) add("batch_group_count", groups);
  }

  void add_slices() {
    if (opcode_ == "slice") {
      std::vector<std::string> parts;
      for (const data_view part : messages_of(i_, 17)) {
        parts.push_back(fmt::format("[{}:{}:{}]", integer_of(part, 1), integer_of(part, 2), integer_of(part, 3, 1)));
      }
      add_list("slice", parts);
    }
    if (opcode_ == "dynamic-slice") add_list("dynamic_slice_sizes", integers_of(i_, 20));
    if (opcode_ == "pad") {
      std::vector<std::string> parts;
      for (const data_view part : messages_of(bytes_of(i_, 21), 1)) {
        parts.push_back(fmt::format("{}_{}_{}", integer_of(part, 1), integer_of(part, 2), integer_of(part, 3)));
      }
      add("padding", fmt::format("{}", fmt::join(parts, "x")));
    }
  }

  void add_dot() {
    if (opcode_ != "dot") return;
    const data_view roles = bytes_of(i_, 30);
    add_list_if_any("lhs_batch_dims", integers_of(roles, 3));
    add_list_if_any("rhs_batch_dims", integers_of(roles, 4));
    add_list("lhs_contracting_dims", integers_of(roles, 1));
    add_list("rhs_contracting_dims", integers_of(roles, 2));
  }

  /// Nothing if every operand has the default precision, as XLA prints it.
  void add_precision() {
    constexpr std::array<std::string_view, 3> names{"default", "high", "highest"};
    std::vector<std::string_view> precisions;
    for (const std::int64_t precision : integers_of(bytes_of(i_, 51), 1)) {
      precisions.push_back(names[precision > 0 && precision < std::int64_t(names.size()) ? std::size_t(precision) : 0]);
    }
    const auto is_default = [&](std::string_view name) { return name == names[0]; };
    if (!std::ranges::all_of(precisions, is_default)) add_list("operand_precision", precisions);
  }

  void add_indexed() {
    if (!is({"gather", "scatter"})) return;
    const bool gather = opcode_ == "gather";
    const data_view roles = bytes_of(i_, gather ? 33 : 48);
    add_list(gather ? "offset_dims" : "update_window_dims", integers_of(roles, 1));
    add_list(gather ? "collapsed_slice_dims" : "inserted_window_dims", integers_of(roles, 2));
    add_list(gather ? "start_index_map" : "scatter_dims_to_operand_dims", integers_of(roles, 3));
    add_list_if_any(gather ? "operand_batching_dims" : "input_batching_dims", integers_of(roles, 5));
    add_list_if_any(gather ? "start_indices_batching_dims" : "scatter_indices_batching_dims", integers_of(roles, 6));
    add("index_vector_dim", integer_of(roles, 4));
    if (gather) add_list("slice_sizes", integers_of(i_, 34));
  }

  void add_participants() {
    if (const std::int64_t channel = integer_of(i_, 26); channel > 0) add("channel_id", channel);
    std::vector<std::string> groups, pairs;
    for (const data_view group : messages_of(i_, 49)) {
      groups.push_back(fmt::format("{{{}}}", fmt::join(integers_of(group, 1), ",")));
    }
    for (const data_view pair : messages_of(i_, 52)) {
      pairs.push_back(fmt::format("{{{},{}}}", integer_of(pair, 1), integer_of(pair, 2)));
    }
    if (const std::string listed = device_list_text(bytes_of(i_, 87)); !listed.empty()) {
      add("replica_groups", listed);
    } else if (!groups.empty() || is({"all-reduce", "all-gather", "all-to-all", "reduce-scatter"})) {
      add_list("replica_groups", groups);
    }
    if (!pairs.empty() || opcode_ == "collective-permute") add_list("source_target_pairs", pairs);
    if (integer_of(i_, 71) != 0) add("use_global_device_ids", true);
  }

  void add_text(std::string_view name, pbf_tag_type tag) {
    const auto text = std::string(bytes_of(i_, tag));
    if (!text.empty()) add(name, text);
  }

  void add_words() {
    if (opcode_ == "get-tuple-element") add_number("index", 13);
    if (opcode_ == "compare") add_text("direction", 63);
    if (opcode_ == "custom-call") add("custom_call_target", '"' + std::string(bytes_of(i_, 28)) + '"');
    if (opcode_ == "fusion") add_text("kind", 11);
    if (opcode_ == "rng") add("distribution", integer_of(i_, 23) == 2 ? "rng_normal" : "rng_uniform");
    if (opcode_ == "reduce-precision") {
      add_number("exponent_bits", 18);
      add_number("mantissa_bits", 19);
    }
    if (opcode_.starts_with("batch-norm")) {
      float epsilon = 0;  // which protobuf leaves out
      for (protozero::pbf_reader field(i_); field.next(24, protozero::pbf_wire_type::fixed32);) {
        epsilon = field.get_float();
      }
      add("epsilon", epsilon);
      add_number("feature_index", 25);
    }
    if (integer_of(i_, 60) != 0) add("is_stable", true);
  }

  std::string called(std::int64_t id) const {
    const auto found = computations_.find(id);
    if (found == computations_.end()) throw base::InputError(fmt::format("computation {} does not exist", id));
    return "%" + found->second;
  }

  void add_called() {
    std::vector<std::string> names;
    for (const std::int64_t id : integers_of(i_, 38)) names.push_back(called(id));
    if (names.empty()) return;
    const bool two = names.size() > 1;
    if (is({"fusion", "async-start"})) return add("calls", names[0]);
    if (opcode_ == "while" && two) {
      add("condition", names[1]);
      return add("body", names[0]);
    }
    if (opcode_ == "select-and-scatter" && two) {
      add("select", names[0]);
      return add("scatter", names[1]);
    }
    if (opcode_ == "conditional") return add_list("branch_computations", names);
    if (opcode_ == "custom-call") return add_list("called_computations", names);
    if (is({"call", "map", "reduce", "reduce-window", "scatter", "sort", "all-reduce", "reduce-scatter"})) {
      add("to_apply", names[0]);
    }
  }

  void add_annotations() {
    for (const data_view sharding : messages_of(i_, 40)) {
      add("sharding", sharding_text(sharding));
      break;
    }
    const std::string attributes = frontend_attributes_text(bytes_of(i_, 68));
    if (!attributes.empty()) add("frontend_attributes", attributes);
  }

  void add_metadata() {
    std::string name(bytes_of(bytes_of(i_, 7), 2));
    std::erase_if(name, [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' '); });
    if (!name.empty()) add("metadata", fmt::format("{{op_name=\"{}\"}}", name));
  }

  data_view i_;
  const std::string& opcode_;
  const ComputationNames& computations_;
  std::vector<std::string> texts_;
};

}  // namespace

std::vector<std::string> attribute_texts(data_view instruction, const std::string& opcode,
                                         const ComputationNames& computations) {
  return Attributes(instruction, opcode, computations).run();
}

}  // namespace podsim::hlo::proto
