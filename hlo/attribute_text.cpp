// SPDX-License-Identifier: Apache-2.0
#include "hlo/attribute_text.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hlo/iota_devices.h"
#include "hlo/permuted_slices.h"

namespace podsim::hlo {

namespace {

std::string window_text(const std::vector<WindowDimension>& window) {
  const auto list = [&](auto&& field) {
    std::vector<std::string> parts;
    for (const WindowDimension& dimension : window) parts.push_back(field(dimension));
    return fmt::format("{}", fmt::join(parts, "x"));
  };
  const auto any = [&](auto&& differs) { return std::ranges::any_of(window, differs); };
  std::string text = "window={size=" + list([](const auto& d) { return fmt::format("{}", d.size); });
  if (any([](const auto& d) { return d.stride != 1; })) {
    text += " stride=" + list([](const auto& d) { return fmt::format("{}", d.stride); });
  }
  if (any([](const auto& d) { return d.padding_low != 0 || d.padding_high != 0; })) {
    text += " pad=" + list([](const auto& d) { return fmt::format("{}_{}", d.padding_low, d.padding_high); });
  }
  if (any([](const auto& d) { return d.base_dilation != 1; })) {
    text += " lhs_dilate=" + list([](const auto& d) { return fmt::format("{}", d.base_dilation); });
  }
  if (any([](const auto& d) { return d.window_dilation != 1; })) {
    text += " rhs_dilate=" + list([](const auto& d) { return fmt::format("{}", d.window_dilation); });
  }
  if (any([](const auto& d) { return d.window_reversal; })) {
    text += " rhs_reversal=" + list([](const auto& d) { return fmt::format("{}", int(d.window_reversal)); });
  }
  return text + "}";
}

std::string labels(int first, char first_label, int second, char second_label, const std::vector<int>& spatial) {
  int last = std::max(first, second);
  for (const int dimension : spatial) last = std::max(last, dimension);
  std::string text(std::size_t(last) + 1, '?');
  text[std::size_t(first)] = first_label;
  text[std::size_t(second)] = second_label;
  for (std::size_t i = 0; i < spatial.size(); ++i) text[std::size_t(spatial[i])] = char('0' + i);
  return text;
}

std::string labels_text(const ConvolutionDimensions& roles) {
  return "dim_labels=" + labels(roles.input_batch, 'b', roles.input_feature, 'f', roles.input_spatial) + "_" +
         labels(roles.kernel_input_feature, 'i', roles.kernel_output_feature, 'o', roles.kernel_spatial) + "->" +
         labels(roles.output_batch, 'b', roles.output_feature, 'f', roles.output_spatial);
}

std::string padding_text(const std::vector<PadDimension>& padding) {
  std::vector<std::string> parts;
  for (const PadDimension& pad : padding) {
    parts.push_back(fmt::format("{}_{}", pad.low, pad.high) + (pad.interior ? fmt::format("_{}", pad.interior) : ""));
  }
  return fmt::format("padding={}", fmt::join(parts, "x"));
}

std::string slice_text(const std::vector<SliceDimension>& slice) {
  std::vector<std::string> parts;
  for (const SliceDimension& dimension : slice) {
    parts.push_back(fmt::format("[{}:{}:{}]", dimension.start, dimension.limit, dimension.stride));
  }
  return fmt::format("slice={{{}}}", fmt::join(parts, ", "));
}

std::string_view to_string(ComparisonDirection direction) {
  static constexpr std::array<std::string_view, 6> names{"EQ", "NE", "LT", "LE", "GT", "GE"};
  return names[std::size_t(direction)];
}

std::string_view to_string(FusionKind kind) {
  static constexpr std::array<std::string_view, 4> names{"kLoop", "kInput", "kOutput", "kCustom"};
  return names[std::size_t(kind)];
}

/// Name of the attribute that holds the index of an opcode's instruction.
std::string_view index_name(Opcode opcode) {
  switch (opcode) {
    case Opcode::get_tuple_element:
      return "index";
    case Opcode::iota:
      return "iota_dimension";
    case Opcode::batch_norm_grad:
    case Opcode::batch_norm_inference:
    case Opcode::batch_norm_training:
      return "feature_index";
    case Opcode::topk:
      return "k";
    case Opcode::rng_get_and_update_state:
      return "delta";
    default:
      return "";
  }
}

/// Name of the attribute that holds the target of an opcode's instruction.
std::string_view target_name(Opcode opcode) {
  switch (opcode) {
    case Opcode::custom_call:
      return "custom_call_target";
    case Opcode::infeed:
      return "infeed_config";
    case Opcode::outfeed:
      return "outfeed_config";
    case Opcode::rng:
      return "distribution";
    case Opcode::rng_bit_generator:
    case Opcode::dot:
    case Opcode::ragged_dot:
    case Opcode::scaled_dot:
      return "algorithm";
    case Opcode::fft:
      return "fft_type";
    default:
      return "";
  }
}

bool needs_dimensions(Opcode opcode) {
  switch (opcode) {
    case Opcode::broadcast:
    case Opcode::reduce:
    case Opcode::transpose:
    case Opcode::reverse:
      return true;
    default:
      return false;
  }
}

/// Collects the attributes of one instruction.
class AttributeList {
 public:
  AttributeList(const Instruction& instruction, const Module& module) : i_(instruction), module_(module) {}

  std::vector<std::string> run() {
    add_numbers();
    add_dimension_numbers();
    if (i_.opcode == Opcode::gather || i_.opcode == Opcode::scatter) add_gather();
    if (is_collective(i_.opcode)) add_participants();
    add_flags();
    add_called();
    if (i_.trip_count >= 0) {
      texts_.push_back(fmt::format("backend_config={{\"known_trip_count\":{{\"n\":\"{}\"}}}}", i_.trip_count));
    }
    if (i_.sharding) add("sharding", to_string(*i_.sharding));
    if (!i_.operand_precision.empty()) add("operand_precision", i_.operand_precision);
    add_metadata();
    return std::move(texts_);
  }

 private:
  template <class Value>
  void add(std::string_view name, const Value& value) {
    texts_.push_back(fmt::format("{}={}", name, value));
  }
  template <class Values>
  void add_list(std::string_view name, const Values& values) {
    texts_.push_back(fmt::format("{}={{{}}}", name, fmt::join(values, ",")));
  }
  template <class Values>
  void add_list_if_any(std::string_view name, const Values& values) {
    if (!values.empty()) add_list(name, values);
  }

  void add_metadata() {
    std::vector<std::string> fields;
    if (!i_.op_name.empty()) fields.push_back(fmt::format("op_name=\"{}\"", i_.op_name));
    if (!i_.source.empty()) fields.push_back(i_.source);
    if (!fields.empty()) texts_.push_back(fmt::format("metadata={{{}}}", fmt::join(fields, " ")));
  }

  void add_numbers() {
    if (const std::string_view name = index_name(i_.opcode); !name.empty()) add(name, i_.index);
    const bool sized = i_.opcode == Opcode::get_dimension_size || i_.opcode == Opcode::set_dimension_size;
    if (sized) add_list("dimensions", std::array{i_.index});
    if (index_name(i_.opcode) == "feature_index") add("epsilon", i_.epsilon);  // of a batch norm
    if (i_.opcode == Opcode::reduce_precision) {
      add("exponent_bits", i_.exponent_bits);
      add("mantissa_bits", i_.mantissa_bits);
    }
    const bool required = i_.opcode == Opcode::custom_call;
    if (const std::string_view name = target_name(i_.opcode); !name.empty() && (required || !i_.target.empty())) {
      const bool quoted = name == "custom_call_target" || name.ends_with("_config");
      add(name, quoted ? '"' + i_.target + '"' : i_.target);
    }
  }

  void add_dimension_numbers() {
    if (i_.opcode == Opcode::fft) {
      add_list("fft_length", i_.dimensions);
    } else if (i_.opcode == Opcode::custom_call && !i_.dimensions.empty()) {
      texts_.push_back(fmt::format("backend_config=\"unspecified_dims=[{}]\"", fmt::join(i_.dimensions, ",")));
    } else if (i_.opcode == Opcode::custom_call && i_.target == "Eigh") {
      texts_.push_back(fmt::format("backend_config=\"{},1,{},{}\"", int(i_.triangular.lower), i_.index, i_.epsilon));
    } else if (i_.opcode == Opcode::ragged_dot) {
      add_dot();
      add_ragged();
    } else if (!i_.dimensions.empty() || needs_dimensions(i_.opcode)) {
      add_list("dimensions", i_.dimensions);
    }
    if (!i_.window.empty()) texts_.push_back(window_text(i_.window));
    if (i_.opcode == Opcode::convolution) texts_.push_back(labels_text(i_.convolution));
    if (i_.feature_groups != 1) add("feature_group_count", i_.feature_groups);
    if (i_.batch_groups != 1) add("batch_group_count", i_.batch_groups);
    if (i_.opcode == Opcode::dot) add_dot();
    if (!i_.padding.empty()) texts_.push_back(padding_text(i_.padding));
    if (i_.opcode == Opcode::slice) texts_.push_back(slice_text(i_.slice));
    if (i_.opcode == Opcode::dynamic_slice) add_list("dynamic_slice_sizes", i_.slice_sizes);
  }

  void add_dot() {
    add_list_if_any("lhs_batch_dims", i_.dot->lhs_batch);
    add_list_if_any("rhs_batch_dims", i_.dot->rhs_batch);
    add_list("lhs_contracting_dims", i_.dot->lhs_contracting);
    add_list("rhs_contracting_dims", i_.dot->rhs_contracting);
  }

  void add_ragged() {
    const auto ragged = std::span(i_.dimensions).first(std::min<std::size_t>(1, i_.dimensions.size()));
    add_list("lhs_ragged_dims", ragged);
    add_list("rhs_group_dims", std::span(i_.dimensions).subspan(ragged.size()));
  }

  void add_gather() {
    const bool gather = i_.opcode == Opcode::gather;
    add_list(gather ? "offset_dims" : "update_window_dims", i_.gather->offset);
    add_list(gather ? "collapsed_slice_dims" : "inserted_window_dims", i_.gather->collapsed);
    add_list(gather ? "start_index_map" : "scatter_dims_to_operand_dims", i_.gather->index_map);
    add_list_if_any(gather ? "operand_batching_dims" : "input_batching_dims", i_.gather->operand_batching);
    add_list_if_any(gather ? "start_indices_batching_dims" : "scatter_indices_batching_dims",
                    i_.gather->indices_batching);
    add("index_vector_dim", i_.gather->index_vector);
    if (gather) add_list("slice_sizes", i_.slice_sizes);
  }

  void add_participants() {
    const Participants& participants = i_.participants;
    if (participants.channel_id) add("channel_id", *participants.channel_id);
    std::vector<std::string> pairs;
    for (const auto& [source, target] : participants.source_target_pairs) {
      pairs.push_back(fmt::format("{{{},{}}}", source, target));
    }
    if (i_.opcode == Opcode::collective_permute) {
      add_list("source_target_pairs", pairs);
    } else if (i_.opcode == Opcode::send || i_.opcode == Opcode::recv) {
      const std::string text = fmt::format("_xla_send_recv_source_target_pairs=\"{{{}}}\"", fmt::join(pairs, ","));
      if (!pairs.empty()) add_list("frontend_attributes", std::array{text});
    } else if (participants.iota) {
      const IotaGroups& groups = *participants.iota;
      add("replica_groups",
          fmt::format("[{},{}]<={}", groups.count, groups.size, iota_text(groups.iota, groups.permutation)));
    } else {
      std::vector<std::string> groups;
      for (const auto& group : participants.groups) groups.push_back(fmt::format("{{{}}}", fmt::join(group, ",")));
      add_list("replica_groups", groups);
    }
    if (is_in_place(i_)) {
      std::vector<std::string> slices;
      for (const PermutedSlice& slice : permuted_slices(i_, i_.shape)) {
        slices.push_back(fmt::format("{{{}}}", fmt::join(slice.sizes, ",")));
      }
      add_list("slice_sizes", slices);
    }
    if (participants.use_global_device_ids) add("use_global_device_ids", true);
  }

  void add_flags() {
    const bool chooses = i_.opcode == Opcode::maximum || i_.opcode == Opcode::minimum;
    if (chooses && i_.target == tie_to_second) add_list("frontend_attributes", std::array{"tie_gradient=\"second\""});
    if (i_.opcode == Opcode::copy && !i_.target.empty()) {
      add_list("frontend_attributes", std::array{fmt::format("gradient=\"{}\"", i_.target)});
    }
    if (i_.opcode == Opcode::compare) add("direction", to_string(i_.comparison));
    if (i_.total_order) add("type", "TOTALORDER");
    if (i_.is_stable) add("is_stable", true);
    if (!i_.largest) add("largest", false);
    if (i_.opcode == Opcode::triangular_solve) {
      add("left_side", i_.triangular.left_side);
      add("unit_diagonal", i_.triangular.unit_diagonal);
      add("transpose_a", !i_.target.empty() ? i_.target : i_.triangular.transpose ? "TRANSPOSE" : "NO_TRANSPOSE");
    }
    if (i_.opcode == Opcode::triangular_solve || i_.opcode == Opcode::cholesky) add("lower", i_.triangular.lower);
    if (i_.opcode == Opcode::domain) add("domain", "{}");
    if (i_.opcode == Opcode::fusion && i_.phase != AsyncPhase::done) add("kind", to_string(i_.fusion_kind));
  }

  void add_called() {
    std::vector<std::string> names;
    for (const ComputationId id : i_.called) names.push_back("%" + module_.computations[std::size_t(id)].name);
    if (names.empty()) return;
    switch (i_.opcode) {
      case Opcode::fusion:
        return add("calls", names[0]);
      case Opcode::while_loop:
        return add_pair(names, "condition", "body");
      case Opcode::select_and_scatter:
        return add_pair(names, "select", "scatter");
      case Opcode::conditional:
        return add_list("branch_computations", names);
      case Opcode::custom_call:
        return add_list("called_computations", names);
      default:
        return add("to_apply", names[0]);
    }
  }

  void add_pair(const std::vector<std::string>& names, std::string_view first, std::string_view second) {
    add(first, names[0]);
    if (names.size() > 1) add(second, names[1]);
  }

  const Instruction& i_;
  const Module& module_;
  std::vector<std::string> texts_;
};

}  // namespace

std::vector<std::string> attribute_texts(const Instruction& instruction, const Module& module) {
  if (instruction.phase == AsyncPhase::done) return {};
  return AttributeList(instruction, module).run();
}

}  // namespace podsim::hlo
