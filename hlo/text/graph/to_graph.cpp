// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/to_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/diagnostic.h"
#include "hlo/literal.h"
#include "hlo/stablehlo/cursor.h"
#include "hlo/text/attribute_value.h"
#include "hlo/text/diagnostic_list.h"
#include "hlo/text/graph/graph_attributes.h"
#include "hlo/text/graph/graph_devices.h"
#include "hlo/text/graph/graph_literal.h"
#include "hlo/text/graph/graph_shape.h"
#include "hlo/text/graph/manual_computations.h"
#include "hlo/text/graph/shardy_attributes.h"
#include "hlo/transform/trip_count.h"

namespace podsim::hlo::text::graph {
namespace {

/// Splits opcodes such as all-reduce-start into all-reduce and a phase, for all pairs that have opcodes of their own.
hlo::OpcodeName normalised(const Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::all_gather_start:
      return {hlo::Opcode::all_gather, hlo::AsyncPhase::start};
    case hlo::Opcode::all_gather_done:
      return {hlo::Opcode::all_gather, hlo::AsyncPhase::done};
    case hlo::Opcode::all_reduce_start:
      return {hlo::Opcode::all_reduce, hlo::AsyncPhase::start};
    case hlo::Opcode::all_reduce_done:
      return {hlo::Opcode::all_reduce, hlo::AsyncPhase::done};
    case hlo::Opcode::collective_permute_start:
      return {hlo::Opcode::collective_permute, hlo::AsyncPhase::start};
    case hlo::Opcode::collective_permute_done:
      return {hlo::Opcode::collective_permute, hlo::AsyncPhase::done};
    case hlo::Opcode::copy_start:
      return {hlo::Opcode::copy, hlo::AsyncPhase::start};
    case hlo::Opcode::copy_done:
      return {hlo::Opcode::copy, hlo::AsyncPhase::done};
    case hlo::Opcode::async_start:
      return {hlo::Opcode::call, hlo::AsyncPhase::start};
    case hlo::Opcode::async_update:
      return {hlo::Opcode::call, hlo::AsyncPhase::update};
    case hlo::Opcode::async_done:
      return {hlo::Opcode::call, hlo::AsyncPhase::done};
    default:
      return {instruction.opcode, instruction.phase};
  }
}

/// The number after "known_trip_count":{"n":, whose quotes may be escaped; -1 if there is none.
std::int64_t stated_trip_count(std::string_view backend_config) {
  constexpr std::string_view key = "known_trip_count";
  const std::size_t at = backend_config.find(key);
  if (at == std::string_view::npos) return -1;
  const std::string_view rest = backend_config.substr(at + key.size());
  const std::size_t digit = rest.find_first_of("0123456789}");
  if (digit == std::string_view::npos) return -1;
  std::int64_t count = -1;
  std::from_chars(rest.data() + digit, rest.data() + rest.size(), count);
  return count;
}

/// Passes over the graph call themselves once per call, and write calls out.
constexpr int max_depth = 256;
constexpr std::int64_t max_written_out = std::int64_t(1) << 22;

std::int64_t only_index(const Integers& path) { return path.empty() ? 0 : path.front(); }

class Converter {
 public:
  explicit Converter(const Module& module)
      : module_(module),
        shapes_(module.shapes),
        ids_(module.instructions.size(), -1),
        results_(ids_.size(), -1),
        starts_at_(ids_.size(), -1) {}

  hlo::Module run() {
    result_.name = module_.name;
    result_.scheduled = is_scheduled(module_);
    read_meshes();
    computation_ids_.resize(module_.computations.size(), -1);
    for (const ComputationIndex index : callees_first(module_)) convert(index);
    result_.entry = computation_ids_[std::size_t(module_.entry)];
    number_devices(module_, result_);
    add_donations();
    return std::move(result_);
  }

 private:
  void add_donations() {
    if (const std::string_view* donors = find_value(module_.attributes, "buffer_donor")) {
      result_.buffer_donors = std::string(*donors);
    }
    const std::string_view* aliases = find_value(module_.attributes, "input_output_alias");
    if (aliases == nullptr) return;
    Scanner text(*aliases);
    for (const Alias& alias : read_aliases(text)) {
      result_.donations.push_back({only_index(alias.output_index), alias.operand, only_index(alias.operand_index)});
    }
  }

  void read_meshes() {
    try {
      shardy_.emplace(module_);
      manual_axes_ = manual_axes(module_, *shardy_);
    } catch (const stablehlo::Fault& fault) {
      DiagnosticList diagnostics(module_.file, *module_.text, module_.origin.get());
      const std::string_view* meshes = find_value(module_.attributes, "frontend_attributes");
      diagnostics.error(meshes != nullptr ? *meshes : std::string_view(module_.text->data(), 1),
                        std::string("attributes of Shardy: ") + fault.what());
      throw base::InputError(diagnostics.take());
    }
  }

  void convert(ComputationIndex index) {
    const Computation& written = module_.computations[std::size_t(index)];
    computation_ = {};
    outer_axes_ = &manual_axes_[std::size_t(index)];
    computation_.name = std::string(written.name);
    computation_.instructions.reserve(written.instructions.count);
    const std::uint32_t end = written.instructions.first + written.instructions.count;
    is_on_scalars_ = index != module_.entry;
    for (std::uint32_t i = written.instructions.first; i < end; ++i) {
      const hlo::Shape& shape = shapes_[instruction(InstructionIndex(i)).shape];
      is_on_scalars_ = is_on_scalars_ && !shape.is_tuple() && shape.rank() == 0;
    }
    for (std::uint32_t i = written.instructions.first; i < end; ++i) note_start(InstructionIndex(i));
    for (std::uint32_t i = written.instructions.first; i < end; ++i) convert_instruction(InstructionIndex(i));
    computation_.root = id_of(written.root, instruction(written.root));
    for (const InstructionIndex parameter : written.parameters) {
      computation_.parameters.push_back(ids_[std::size_t(parameter)]);
    }
    late_operands_.clear();
    computation_ids_[std::size_t(index)] = hlo::ComputationId(result_.computations.size());
    result_.computations.push_back(std::move(computation_));
    extents_.push_back(extent_of(written));
  }

  /// A computation with all that it calls.
  struct Extent {
    int depth = 1;          ///< computations on the longest chain of calls
    std::int64_t size = 0;  ///< instructions with all calls written out
  };

  /// Callees come first, so theirs are known. Reports the call that makes a computation too deep or too large.
  Extent extent_of(const Computation& written) const {
    Extent extent;
    const auto instructions = module_.instructions_of(written);
    extent.size = std::int64_t(instructions.size());
    for (const Instruction& instruction : instructions) {
      for (const ComputationIndex called : module_.called(instruction)) {
        const Extent& inner = extents_[std::size_t(computation_ids_[std::size_t(called)])];
        extent.depth = std::max(extent.depth, inner.depth + 1);
        extent.size += inner.size;
        if (extent.depth > max_depth) {
          report(instruction, fmt::format("its calls are nested more than {} deep", max_depth));
        }
        if (extent.size > max_written_out) {
          report(instruction,
                 fmt::format("with all calls written out, the computation '{}' has more than {} instructions",
                             written.name, max_written_out));
        }
      }
    }
    return extent;
  }

  /// The start that an -update or -done continues, or the instruction in its position.
  InstructionIndex start_of(const Instruction& written) const {
    InstructionIndex at = module_.operands(written)[0];
    while (normalised(instruction(at)).phase == hlo::AsyncPhase::update && instruction(at).operands.count > 0) {
      at = module_.operands(instruction(at))[0];
    }
    return at;
  }

  /// Records what later instructions say about a start. The shape of its -done is its result; the start's own shape
  /// also contains operands and contexts. An -update with further operands moves the start to its own position.
  void note_start(InstructionIndex index) {
    const Instruction& written = instruction(index);
    const hlo::AsyncPhase phase = normalised(written).phase;
    if (written.operands.count == 0) return;
    if (phase == hlo::AsyncPhase::done) results_[std::size_t(start_of(written))] = written.shape;
    if (phase != hlo::AsyncPhase::update || written.operands.count == 1) return;
    const InstructionIndex start = start_of(written);
    if (normalised(instruction(start)).phase != hlo::AsyncPhase::start) return;
    starts_at_[std::size_t(start)] = index;
    for (const InstructionIndex operand : module_.operands(written).subspan(1)) {
      late_operands_.emplace_back(start, operand);
    }
  }

  const Instruction& instruction(InstructionIndex index) const { return module_.instructions[std::size_t(index)]; }

  void convert_instruction(InstructionIndex index) {
    const Instruction& written = instruction(index);
    const hlo::AsyncPhase phase = normalised(written).phase;
    if (phase == hlo::AsyncPhase::update && written.operands.count > 0) {
      const InstructionIndex start = start_of(written);
      if (starts_at_[std::size_t(start)] == index) emit(start);
      ids_[std::size_t(index)] = ids_[std::size_t(start)];
    } else if (phase != hlo::AsyncPhase::start || starts_at_[std::size_t(index)] < 0) {
      emit(index);
    }
  }

  /// The id of an operand or root.
  hlo::InstructionId id_of(InstructionIndex index, const Instruction& user) const {
    const hlo::InstructionId id = ids_[std::size_t(index)];
    if (id < 0) report(user, "uses what has not started: a later -update brings an operand");
    return id;
  }

  void emit(InstructionIndex index) {
    const Instruction& written = instruction(index);
    const hlo::OpcodeName name = normalised(written);
    hlo::Instruction made;
    made.opcode = name.opcode;
    made.phase = name.phase;
    made.name = std::string(written.name);
    const ShapeId result = results_[std::size_t(index)];
    made.shape = shapes_[name.phase == hlo::AsyncPhase::start && result >= 0 ? result : written.shape];
    for (const InstructionIndex operand : module_.operands(written)) made.operands.push_back(id_of(operand, written));
    for (const auto& [start, operand] : late_operands_) {
      if (start == index) made.operands.push_back(id_of(operand, written));
    }
    try {
      complete(made, written);
      if (const std::string_view target = made.target; made.opcode == hlo::Opcode::custom_call) {
        if (target == to_local_target || target == to_global_target) return emit_manual(index, made);
        if (target == "Sharding" && is_on_scalars_) {
          ids_[std::size_t(index)] = made.operands.at(0);
          return;
        }
      }
    } catch (const SyntaxError& error) {
      report(written, error.what(), error.hint);
    } catch (const stablehlo::Fault& fault) {
      report(written, std::string("attributes of Shardy: ") + fault.what());
    }
    ids_[std::size_t(index)] = hlo::InstructionId(computation_.instructions.size());
    computation_.instructions.push_back(std::move(made));
  }

  hlo::InstructionId append(hlo::Instruction made) {
    computation_.instructions.push_back(std::move(made));
    return hlo::InstructionId(computation_.instructions.size()) - 1;
  }

  hlo::InstructionId append_annotation(const hlo::Instruction& around, hlo::InstructionId operand,
                                       const hlo::Shape& shape, std::string_view target, const std::string& sharding,
                                       const std::vector<std::int64_t>& open) {
    hlo::Instruction made;
    made.opcode = hlo::Opcode::custom_call;
    made.target = target;
    made.name = fmt::format("{}.{}", around.name, computation_.instructions.size());
    made.op_name = around.op_name;
    made.source = around.source;
    made.shape = shape;
    made.operands = {operand};
    made.dimensions = open;
    Scanner text(sharding);
    made.sharding = std::make_shared<const hlo::Sharding>(read_sharding(text));
    return append(std::move(made));
  }

  /// Writes a custom call of Shardy that begins or ends a manual computation as the annotations that the partitioner
  /// knows: SPMDFullToShardShape of a value with its sharding, SPMDShardToFullShape of one that is manual.
  void emit_manual(InstructionIndex index, hlo::Instruction& made) {
    const Instruction& written = instruction(index);
    const std::string_view* attributes = find_value(module_.attributes_of(written), "frontend_attributes");
    if (attributes == nullptr) report(written, "the frontend attribute xla.sdy.manual_axes is missing");
    const bool to_local = made.target == to_local_target;
    const AxisNames own = shardy_->manual_axes(*attributes);
    const std::vector<std::string_view> shardings =
        shardy_->shardings(*attributes, to_local ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings");
    const std::size_t results = made.shape.is_tuple() ? made.shape.tuple_shapes.size() : 1;
    if (shardings.size() != made.operands.size() || results != made.operands.size()) {
      report(written, fmt::format("takes {} operands, gives {} results, and has {} shardings", made.operands.size(),
                                  results, shardings.size()));
    }
    AxisNames all = *outer_axes_;
    all.insert(all.end(), own.begin(), own.end());
    for (std::size_t k = 0; k < shardings.size(); ++k) {
      const hlo::InstructionId from = made.operands[k];
      const hlo::Shape given = computation_[from].shape,
                       result = made.shape.is_tuple() ? made.shape.tuple_shapes[k] : made.shape;
      const std::string whole = shardy_->whole(shardings[k], *outer_axes_),
                        shard = shardy_->shard(shardings[k], std::size_t(result.rank()), all);
      // A value that is manual along all axes is divided no further.
      std::vector<std::int64_t> open = ShardyAttributes::open_dimensions(shardings[k]);
      if (shard == "{manual}") open.clear();
      const hlo::InstructionId annotated =
          append_annotation(made, from, given, "Sharding", to_local ? whole : shard, open);
      const bool is_same = own.empty() && given.compatible(result);
      made.operands[k] = is_same ? annotated
                                 : append_annotation(made, annotated, result,
                                                     to_local ? "SPMDFullToShardShape" : "SPMDShardToFullShape",
                                                     to_local ? shard : whole, open);
    }
    if (made.shape.is_tuple()) {
      made.opcode = hlo::Opcode::tuple;
      made.target.clear();
      made.operands[0] = append(made);
    }
    ids_[std::size_t(index)] = made.operands[0];
  }

  [[noreturn]] void report(const Instruction& written, const std::string& message, const std::string& hint = "") const {
    DiagnosticList diagnostics(module_.file, *module_.text, module_.origin.get());
    diagnostics.error(written.opcode_text, std::string(written.opcode_text) + ": " + message, hint);
    throw base::InputError(diagnostics.take());
  }

  void complete(hlo::Instruction& made, const Instruction& written) {
    set_attributes(made, module_.attributes_of(written));
    if (const std::string_view* shardy = find_value(module_.attributes_of(written), "frontend_attributes")) {
      const std::string_view hlo = shardy_->sharding(*shardy, *outer_axes_);
      if (!hlo.empty()) made.sharding = sharding(hlo);
    }
    // If an instruction has both annotations, that of Shardy counts, as in XLA.
    const std::string_view* text = find_value(module_.attributes_of(written), "sharding");
    if (text != nullptr && !made.sharding) made.sharding = sharding(*text);
    switch (made.opcode) {
      case hlo::Opcode::parameter:
        made.index = written.parameter;
        break;
      case hlo::Opcode::constant:
        if (made.shape.element_type == hlo::ElementType::token) report(written, "a token has no value");
        if (auto value = read_graph_literal(written.literal, made.shape)) {
          made.literal = std::make_shared<const hlo::Literal>(std::move(*value));
        }
        break;
      case hlo::Opcode::unknown:
        made.target = std::string(written.opcode_text);
        break;
      default:
        break;
    }
    if (made.phase == hlo::AsyncPhase::done) return adopt_start(made);
    set_called(made, written);
    if (made.opcode == hlo::Opcode::while_loop) set_trip_count(made, written);
    if (written.opcode == hlo::Opcode::async_start) unwrap(made);
  }

  /// Returns a shared sharding, since many values have the same one.
  std::shared_ptr<const hlo::Sharding> sharding(std::string_view text) {
    std::shared_ptr<const hlo::Sharding>& known = shardings_[text];
    if (!known) {
      Scanner scanner(text);
      known = std::make_shared<const hlo::Sharding>(read_sharding(scanner));
    }
    return known;
  }

  /// Gives a -done the opcode of its start.
  void adopt_start(hlo::Instruction& done) {
    done.called.clear();
    if (done.operands.empty()) return;
    const hlo::Instruction& start = computation_[done.operands[0]];
    if (start.phase == hlo::AsyncPhase::start) done.opcode = start.opcode;
  }

  /// Sets the called computations in the graph's order, whatever the order of the text: condition before body, select
  /// before scatter, the branch for true first.
  void set_called(hlo::Instruction& made, const Instruction& written) {
    static constexpr std::array<std::string_view, 6> order{
        "condition", "body", "select", "scatter", "true_computation", "false_computation"};
    std::vector<std::pair<std::ptrdiff_t, hlo::ComputationId>> called;
    std::size_t next = 0;
    const auto indices = module_.called(written);
    for (const Attribute& attribute : module_.attributes_of(written)) {
      const AttributeRow* row = find_attribute_row(attribute.name);
      if (row == nullptr || row->form != AttributeForm::computations) continue;
      Scanner scanner(attribute.value);
      const std::ptrdiff_t place = std::ranges::find(order, attribute.name) - order.begin();
      for (std::size_t n = read_names(scanner).size(); n > 0 && next < indices.size(); --n) {
        called.emplace_back(place, computation_ids_[std::size_t(indices[next++])]);
      }
    }
    std::ranges::stable_sort(called, {}, &std::pair<std::ptrdiff_t, hlo::ComputationId>::first);
    const bool named = !called.empty() && called.front().first < std::ssize(order);
    for (const auto& [place, id] : called) {
      if (!named || place < std::ssize(order)) made.called.push_back(id);
    }
  }

  void set_trip_count(hlo::Instruction& loop, const Instruction& written) {
    if (const std::string_view* config = find_value(module_.attributes_of(written), "backend_config")) {
      loop.trip_count = stated_trip_count(*config);
    }
    const bool whole = loop.called.size() == 2 && loop.operands.size() == 1;
    if (loop.trip_count < 0 && whole) loop.trip_count = transform::find_trip_count(result_, computation_, loop);
  }

  /// Replaces an async-start of a computation with a single op by that op, with the operands reordered to the op's
  /// order.
  void unwrap(hlo::Instruction& start) const {
    if (start.called.size() != 1) return;
    const hlo::Computation& body = result_.computations[std::size_t(start.called[0])];
    const hlo::Instruction& op = body[body.root];
    const bool alone = std::ranges::count_if(body.instructions, [](const hlo::Instruction& instruction) {
                         return instruction.opcode != hlo::Opcode::parameter;
                       }) == 1;
    if (!alone || op.opcode == hlo::Opcode::parameter || body.parameters.size() != start.operands.size()) return;
    hlo::Instruction unwrapped = op;
    unwrapped.phase = hlo::AsyncPhase::start;
    unwrapped.name = std::move(start.name);
    unwrapped.shape = std::move(start.shape);
    for (hlo::InstructionId& operand : unwrapped.operands) operand = start.operands[std::size_t(body[operand].index)];
    if (unwrapped.op_name.empty()) unwrapped.op_name = std::move(start.op_name);
    if (!unwrapped.sharding) unwrapped.sharding = std::move(start.sharding);
    start = std::move(unwrapped);
  }

  const Module& module_;
  GraphShapes shapes_;
  hlo::Module result_;
  hlo::Computation computation_;         ///< being converted
  std::vector<hlo::InstructionId> ids_;  ///< of the module's instructions
  std::vector<hlo::ComputationId> computation_ids_;
  std::vector<Extent> extents_;  ///< by ComputationId
  std::optional<ShardyAttributes> shardy_;
  std::vector<AxisNames> manual_axes_;  ///< by computation of the text
  /// The computation being converted is a function of scalars, such as a combiner, in which annotations mean nothing.
  bool is_on_scalars_ = false;
  const AxisNames* outer_axes_ = nullptr;  ///< of the computation being converted
  std::unordered_map<std::string_view, std::shared_ptr<const hlo::Sharding>> shardings_;  ///< by their text
  std::vector<ShapeId> results_;  ///< result shape of an asynchronous start, by its index in the module; -1 for others
  std::vector<InstructionIndex> starts_at_;  ///< the -update that brings a start's last operand; -1 if none does
  std::vector<std::pair<InstructionIndex, InstructionIndex>>
      late_operands_;  ///< in the current computation: start, operand
};

}  // namespace

hlo::Module to_graph(const Module& module) { return Converter(module).run(); }

}  // namespace podsim::hlo::text::graph
