// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "sw/compiler/memory_account.h"
#include "tests/hlo/text/corpus.h"

namespace podsim::sw::compiler {
namespace {

/// An element of a value, by the instruction and the indices of get-tuple-element.
using Element = std::pair<hlo::InstructionId, std::vector<std::int64_t>>;

/// Live bytes of a schedule by their definition: for every position, all arrays that are made there or before and read
/// there or later, one after another. Slow, and with no code of the account but the sizes of arrays.
class LiveBytes {
 public:
  LiveBytes(const hlo::Module& module, const hlo::Computation& computation)
      : module_(module), computation_(computation), end_(hlo::InstructionId(computation.instructions.size())) {
    for (hlo::InstructionId id = 0; id < end_; ++id) {
      const hlo::Instruction& instruction = computation_[id];
      for (const Element& element : elements(id, instruction.shape, {})) {
        last_.try_emplace(owner(element), id);
      }
      if (only_names(instruction)) continue;
      read(instruction.operands, id);
      if (instruction.phase == hlo::AsyncPhase::done) read(computation_[instruction.operands[0]].operands, id);
    }
    read(computation_.parameters, end_);
    read({computation_.root}, end_);
  }

  std::int64_t peak() const {
    std::int64_t most = 0;
    for (hlo::InstructionId at = 0; at < end_; ++at) {
      std::int64_t live = temporaries(at);
      for (const auto& [element, last] : last_) {
        const bool is_parameter = computation_[element.first].opcode == hlo::Opcode::parameter;
        if ((is_parameter || element.first <= at) && at <= last) live += bytes(element);
      }
      most = std::max(most, live);
    }
    return most;
  }

  std::int64_t parameters() const {
    std::int64_t sum = 0;
    for (const hlo::InstructionId id : computation_.parameters) {
      for (const Element& element : elements(id, computation_[id].shape, {})) sum += bytes(element);
    }
    return sum;
  }

  /// Gives outputs the memory of parameters that nothing reads after the outputs are made.
  void donate(const Element& output, const Element& parameter) {
    const Element made = owner(output);
    if (made == parameter) return;
    for (hlo::InstructionId id = made.first + 1; id < end_; ++id) {
      if (only_names(computation_[id])) continue;
      for (const hlo::InstructionId operand : computation_[id].operands) {
        for (const Element& element : elements(operand, computation_[operand].shape, {})) {
          if (owner(element) == parameter) return;
        }
      }
    }
    if (made.first > parameter.first) free_.insert(made);
  }

 private:
  static bool only_names(const hlo::Instruction& instruction) {
    using enum hlo::Opcode;
    const std::set<hlo::Opcode> names{tuple, get_tuple_element, bitcast};
    return names.contains(instruction.opcode);
  }

  static std::vector<Element> elements(hlo::InstructionId id, const hlo::Shape& shape, std::vector<std::int64_t> path) {
    if (!shape.is_tuple()) return {{id, path}};
    std::vector<Element> all;
    for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
      std::vector<std::int64_t> inside = path;
      inside.push_back(std::int64_t(i));
      std::ranges::move(elements(id, shape.tuple_shapes[i], inside), std::back_inserter(all));
    }
    return all;
  }

  /// The element that has the memory.
  Element owner(Element element) const {
    auto& [id, path] = element;
    while (true) {
      const hlo::Instruction& instruction = computation_[id];
      switch (instruction.opcode) {
        case hlo::Opcode::tuple:
          id = instruction.operands[std::size_t(path.front())];
          path.erase(path.begin());
          continue;
        case hlo::Opcode::get_tuple_element:
          id = instruction.operands[0];
          path.insert(path.begin(), instruction.index);
          continue;
        case hlo::Opcode::bitcast:
        case hlo::Opcode::opt_barrier:
        case hlo::Opcode::add_dependency:
        case hlo::Opcode::domain:
        case hlo::Opcode::while_loop:
          id = instruction.operands[0];
          continue;
        case hlo::Opcode::reshape:
          if (hlo::padded_bytes(instruction.shape) != hlo::padded_bytes(computation_[instruction.operands[0]].shape)) {
            return element;
          }
          id = instruction.operands[0];
          continue;
        default:
          break;
      }
      const int updated = instruction.phase == hlo::AsyncPhase::done ? 0 : written_operand(instruction);
      if (updated < 0) return element;
      id = instruction.operands[std::size_t(updated)];
    }
  }

  /// The operand that an update in place, alone or at the end of a fusion, writes to.
  int written_operand(const hlo::Instruction& instruction) const {
    using enum hlo::Opcode;
    if (instruction.opcode == dynamic_update_slice || instruction.opcode == scatter) return 0;
    if (instruction.opcode != fusion) return -1;
    const hlo::Computation& body = module_.computations[std::size_t(instruction.called[0])];
    const auto without_names = [&](hlo::InstructionId id) {
      while (body[id].opcode == bitcast || body[id].opcode == reshape) id = body[id].operands[0];
      return id;
    };
    const hlo::InstructionId root = without_names(body.root);
    if (body[root].opcode != dynamic_update_slice && body[root].opcode != scatter) return -1;
    const hlo::InstructionId array = without_names(body[root].operands[0]);
    return body[array].opcode == parameter ? int(body[array].index) : -1;
  }

  void read(const std::vector<hlo::InstructionId>& values, hlo::InstructionId at) {
    for (const hlo::InstructionId value : values) {
      for (const Element& element : elements(value, computation_[value].shape, {})) {
        hlo::InstructionId& last = last_[owner(element)];
        last = std::max(last, at);
      }
    }
  }

  std::int64_t bytes(const Element& element) const {
    const hlo::Shape* shape = &computation_[element.first].shape;
    for (const std::int64_t index : element.second) shape = &shape->tuple_shapes[std::size_t(index)];
    return free_.contains(element) || shape->memory_space != 0 ? 0 : std::int64_t(hlo::padded_bytes(*shape).value());
  }

  /// The bytes that the computations executed by an instruction need, without their parameters.
  std::int64_t temporaries(hlo::InstructionId id) const {
    using enum hlo::Opcode;
    const hlo::Instruction& instruction = computation_[id];
    if (instruction.opcode != while_loop && instruction.opcode != conditional && instruction.opcode != call) return 0;
    std::int64_t most = 0;
    for (const hlo::ComputationId called : instruction.called) {
      const hlo::Computation& inner = module_.computations[std::size_t(called)];
      LiveBytes live(module_, inner);
      if (instruction.opcode == while_loop && inner[inner.root].shape.is_tuple()) {
        for (const Element& element : elements(inner.root, inner[inner.root].shape, {})) {
          live.donate(element, {inner.parameters[0], element.second});
        }
      }
      most = std::max(most, live.peak() - live.parameters());
    }
    return most;
  }

  const hlo::Module& module_;
  const hlo::Computation& computation_;
  hlo::InstructionId end_;
  std::map<Element, hlo::InstructionId> last_;  ///< the last reader of every element that has memory
  std::set<Element> free_;                      ///< elements in the memory of parameters
};

TEST(ScheduledCorpus, ThePeakIsThatOfTheTextsLiveBytes) {
  int modules = 0;
  for (const std::filesystem::path& file : hlo::text::corpus(false)) {
    for (const hlo::text::Module& text : hlo::text::read(file.string(), hlo::text::text_of(file)).modules) {
      const hlo::Module module = hlo::text::graph::to_graph(text);
      if (!module.scheduled) continue;
      ++modules;
      const auto peak = double(LiveBytes(module, module.entry_computation()).peak());
      EXPECT_NEAR(double(account_memory(module).peak.value()), peak, 0.01 * peak) << file;
    }
  }
  if (modules == 0) GTEST_SKIP() << "no corpus of modules (../shared/hlo_corpus)";
}

}  // namespace
}  // namespace podsim::sw::compiler
