// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/propagation.h"

#include <algorithm>
#include <utility>

#include "hlo/spmd/mesh/manual_border.h"
#include "hlo/spmd/propagate/array_links.h"
#include "hlo/spmd/propagate/manual_values.h"
#include "hlo/spmd/propagate/refinement.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using Kind = Factor::Kind;

constexpr int rounds = 4;
constexpr int max_compared = 64;  ///< arrays of a link of which each is compared with each

class Propagation {
 public:
  Propagation(const ArrayTable& table, const mesh::Mesh& mesh, std::vector<ArrayState>& states)
      : table_(table), mesh_(mesh), states_(states), links_(array_links(table)), links_of_(states.size()) {
    for (std::size_t i = 0; i < links_.links.size(); ++i) {
      for (const ArrayId array : links_.links[i].arrays) {
        std::vector<int>& list = links_of_[std::size_t(table.representative(array))];
        if (list.empty() || list.back() != int(i)) list.push_back(int(i));
      }
    }
    for (const ArrayState& state : states) used_.push_back(used_bits(state.sharding));
    for (ArrayId array = 0; array < table.size(); ++array) {
      passes_on_.push_back(states[std::size_t(array)].fixed || !is_anywhere(table.location(array)));
    }
  }

  void run() {
    const std::size_t count = links_.links.size();
    for (round_ = 0; round_ < rounds; ++round_) {
      forward_.assign(count, true);
      backward_.assign(count, true);
      do {
        changed_ = false;
        for (std::size_t i = 0; i < count; ++i) {
          if (std::exchange(forward_[i], false)) refine_results(links_.links[i]);
        }
        for (std::size_t i = count; i-- > 0;) {
          if (std::exchange(backward_[i], false)) refine_operands(links_.links[i]);
        }
      } while (changed_);
    }
  }

 private:
  ArrayState& state(ArrayId array) { return states_[std::size_t(table_.representative(array))]; }

  /// True for a broadcast scalar, which each user may have in its own sharding: equal broadcasts are one value even if
  /// their users are unrelated.
  bool is_anywhere(const ArrayTable::Location& location) const {
    const hlo::Computation& computation = table_.module().computations[std::size_t(location.computation)];
    const hlo::Instruction& instruction = computation[location.id];
    return instruction.opcode == hlo::Opcode::broadcast && computation[instruction.operands[0]].shape.rank() == 0;
  }

  bool takes_part(Kind kind) const {
    switch (kind) {
      case Kind::parallel:
        return true;
      case Kind::reduction:
        return round_ >= 2;
      case Kind::shifted:
      case Kind::special:
        return round_ >= 3;
      case Kind::whole:
        break;
    }
    return false;
  }

  void refine_results(const ArrayLink& link) {
    const bool is_early = link.stage == ArrayLink::Stage::keeping || link.stage == ArrayLink::Stage::storing;
    if (round_ == 0 && !is_early) return;
    if (round_ < 3 && link.stage == ArrayLink::Stage::broadcasting) return;
    find_sources(link);
    for (int to = link.inputs; to < int(link.arrays.size()); ++to) refine(link, to);
  }

  void refine_operands(const ArrayLink& link) {
    if (round_ == 0 && link.stage != ArrayLink::Stage::keeping) return;
    find_sources(link);
    for (int to = 0; to < link.inputs; ++to) refine(link, to);
  }

  bool is_source(const ArrayLink& link, int position) const {
    const auto array = std::size_t(table_.representative(link.arrays[std::size_t(position)]));
    return passes_on_[array] && used_[array] != 0;
  }

  /// Finds the arrays of a link that others may take shardings from. In a link of many arrays, arrays of the same
  /// factors and sharding count once: a second one would add nothing. Those that become sharded meanwhile are found
  /// when the link comes again, which every change brings about.
  void find_sources(const ArrayLink& link) {
    if (int(link.arrays.size()) <= max_compared) {
      sources_ = link.by_weight;
      return;
    }
    sources_.clear();
    for (const int position : link.by_weight) {
      if (!is_source(link, position)) continue;
      const auto is_like = [&](int known) {
        return (known < link.inputs) == (position < link.inputs) &&
               state(link.arrays[std::size_t(known)]).sharding == state(link.arrays[std::size_t(position)]).sharding &&
               (link.rule < 0 || rule_array(link, known) == rule_array(link, position));
      };
      if (std::ranges::none_of(sources_, is_like)) sources_.push_back(position);
    }
  }

  /// Refines array `to` of the link from the others: a result from operands, an operand from all.
  void refine(const ArrayLink& link, int to) {
    const ArrayId array = link.arrays[std::size_t(to)];
    if (state(array).fixed) return;
    const bool is_result = to >= link.inputs;
    for (const int from : sources_) {
      if (from == to || (is_result && from >= link.inputs) || !is_source(link, from)) continue;
      if (table_.representative(link.arrays[std::size_t(from)]) == table_.representative(array)) continue;
      if (link.is_border) {
        refine_across_border(link, to, from);
      } else if (link.rule < 0) {
        refine_equal(link, to, from);
      } else {
        refine_by_rule(link, to, from);
      }
    }
  }

  void refine_equal(const ArrayLink& link, int to, int from) {
    ArrayState& target = state(link.arrays[std::size_t(to)]);
    const ArrayState& source = state(link.arrays[std::size_t(from)]);
    const hlo::Shape& shape = *table_.location(link.arrays[std::size_t(to)]).shape;
    for (int d = 0; d < shape.rank(); ++d) {
      if (append_shards(mesh_, source.sharding.dimensions[std::size_t(d)], shape.dimensions[std::size_t(d)], false,
                        used(link, to), target.sharding.dimensions[std::size_t(d)])) {
        note(link, to, d, from, d);
      }
    }
  }

  /// The whole has the manual sub-axes before those of the shard. A dimension that they do not divide evenly has other
  /// parts than the shard and is left alone.
  void refine_across_border(const ArrayLink& link, int to, int from) {
    const auto border =
        mesh::manual_border(mesh_, table_.module().computations[std::size_t(link.computation)], link.op);
    if (!border) return;
    const bool to_whole = (to == 0) == border->enters;
    ArrayState& target = state(link.arrays[std::size_t(to)]);
    const ArrayState& source = state(link.arrays[std::size_t(from)]);
    const hlo::Shape& shape = *table_.location(link.arrays[std::size_t(to)]).shape;
    for (int d = 0; d < shape.rank(); ++d) {
      mesh::SubAxes& list = target.sharding.dimensions[std::size_t(d)];
      mesh::SubAxes longer = to_whole ? mesh::within(list, border->axes) : mesh::SubAxes{};
      const mesh::SubAxes others = mesh::without(source.sharding.dimensions[std::size_t(d)], border->axes);
      longer.insert(longer.end(), others.begin(), others.end());
      const std::int64_t size = shape.dimensions[std::size_t(d)];
      if (append_shards(mesh_, longer, size, true, used(link, to), list)) note(link, to, d, from, d);
    }
  }

  const OpRule::Array& rule_array(const ArrayLink& link, int position) const {
    const OpRule& rule = links_.rules[std::size_t(link.rule)];
    return position < link.inputs ? rule.operands[std::size_t(position)]
                                  : rule.results[std::size_t(position - link.inputs)];
  }

  void refine_by_rule(const ArrayLink& link, int to, int from) {
    const OpRule& rule = links_.rules[std::size_t(link.rule)];
    const OpRule::Array& array = rule_array(link, to);
    source_.reset(rule.factors.size());
    source_.read(mesh_, rule, rule_array(link, from), state(link.arrays[std::size_t(from)]).sharding);
    for (int d = 0; d < int(array.size()); ++d) {
      const std::vector<int>& factors = array[std::size_t(d)];
      const int changed =
          factors.size() == 1 ? refine_factor(link, to, d, factors[0]) : refine_factors(rule, link, to, d);
      if (changed >= 0) note(link, to, d, from, dimension_of(rule_array(link, from), changed));
    }
  }

  bool may_take(const OpRule& rule, int factor) const {
    return source_.is_known(factor) && takes_part(rule.factors[std::size_t(factor)].kind);
  }

  /// Refines a dimension of one factor. Returns the factor if it was split further, else -1.
  int refine_factor(const ArrayLink& link, int to, int dimension, int factor) {
    if (!may_take(links_.rules[std::size_t(link.rule)], factor)) return -1;
    const ArrayId array = link.arrays[std::size_t(to)];
    const std::int64_t size = table_.location(array).shape->dimensions[std::size_t(dimension)];
    mesh::SubAxes& list = state(array).sharding.dimensions[std::size_t(dimension)];
    return append_shards(mesh_, source_.of(factor), size, false, used(link, to), list) ? factor : -1;
  }

  /// Refines a dimension of several factors; a factor must be split to single elements before the next one is split at
  /// all. Returns the factor that was split further, else -1.
  int refine_factors(const OpRule& rule, const ArrayLink& link, int to, int dimension) {
    ArrayState& target = state(link.arrays[std::size_t(to)]);
    const OpRule::Array& array = rule_array(link, to);
    target_.reset(rule.factors.size());
    target_.read(mesh_, rule, array, target.sharding);
    mesh::SubAxes list;
    std::uint32_t bits = used(link, to);
    int changed = -1;
    for (const int factor : array[std::size_t(dimension)]) {
      const std::int64_t size = rule.factors[std::size_t(factor)].size;
      mesh::SubAxes sub_axes = target_.is_known(factor) ? target_.of(factor) : mesh::SubAxes{};
      if (may_take(rule, factor) && append_shards(mesh_, source_.of(factor), size, true, bits, sub_axes)) {
        changed = factor;
      }
      list.insert(list.end(), sub_axes.begin(), sub_axes.end());
      if (mesh_.size(sub_axes) != size) break;
    }
    mesh::SubAxes& before = target.sharding.dimensions[std::size_t(dimension)];
    // A dimension that is split across the borders of its factors is left alone.
    if (changed < 0 || list.size() <= before.size() || !std::equal(before.begin(), before.end(), list.begin())) {
      return -1;
    }
    before = std::move(list);
    used(link, to) = bits;
    return changed;
  }

  static int dimension_of(const OpRule::Array& array, int factor) {
    for (std::size_t d = 0; d < array.size(); ++d) {
      for (const int candidate : array[d]) {
        if (candidate == factor) return int(d);
      }
    }
    return 0;
  }

  std::uint32_t& used(const ArrayLink& link, int position) {
    return used_[std::size_t(table_.representative(link.arrays[std::size_t(position)]))];
  }

  /// Records why array `to` changed and queues all links of the array again.
  void note(const ArrayLink& link, int to, int dimension, int from, int from_dimension) {
    const bool is_result = to >= link.inputs;
    auto kind = is_result             ? ShardingReason::Kind::operand
                : from >= link.inputs ? ShardingReason::Kind::user
                                      : ShardingReason::Kind::beside;
    if (link.is_agreement) kind = ShardingReason::Kind::agreement;
    const ArrayTable::Location& source = table_.location(link.arrays[std::size_t(from)]);
    const ArrayId array = table_.representative(link.arrays[std::size_t(to)]);
    states_[std::size_t(array)].reasons[std::size_t(dimension)] = {
        kind, std::uint8_t(round_), source.computation, source.id, source.array, from_dimension, link.op};
    for (const int user : links_of_[std::size_t(array)]) {
      forward_[std::size_t(user)] = true;
      backward_[std::size_t(user)] = true;
    }
    changed_ = true;
  }

  const ArrayTable& table_;
  const mesh::Mesh& mesh_;
  std::vector<ArrayState>& states_;  ///< by representative
  ArrayLinks links_;
  std::vector<std::vector<int>> links_of_;  ///< by representative
  std::vector<std::uint32_t> used_;         ///< sub-axes in use by representative, one bit each
  std::vector<char> passes_on_;             ///< by array: other arrays may take its sharding
  std::vector<char> forward_, backward_;    ///< by link: it is queued for that direction
  FactorShards source_, target_;
  std::vector<int> sources_;  ///< of the link that is being refined, by weight: positions in it
  int round_ = 0;
  bool changed_ = false;
};

ModuleShardings collect(const ArrayTable& table, const std::vector<ArrayState>& states) {
  const std::vector<hlo::Computation>& computations = table.module().computations;
  ModuleShardings result;
  result.values.resize(computations.size());
  result.reasons.resize(computations.size());
  for (hlo::ComputationId c = 0; c < int(computations.size()); ++c) {
    if (!table.is_executed(c)) continue;
    for (hlo::InstructionId id = 0; id < int(computations[std::size_t(c)].instructions.size()); ++id) {
      mesh::ValueSharding& value = result.values[std::size_t(c)].emplace_back();
      std::vector<ArrayReasons>& reasons = result.reasons[std::size_t(c)].emplace_back();
      for (int k = 0; k < table.count(c, id); ++k) {
        const ArrayState& state = states[std::size_t(table.representative(table.first(c, id) + k))];
        value.push_back(state.sharding);
        reasons.push_back(state.reasons);
      }
    }
  }
  return result;
}

}  // namespace

ModuleShardings propagate(const hlo::Module& module, const mesh::Mesh& mesh) {
  const ArrayTable table(module);
  std::vector<ArrayState> states = annotated_arrays(table, mesh);
  spread_manual(table, mesh, states);
  Propagation(table, mesh, states).run();
  return collect(table, states);
}

}  // namespace podsim::hlo::spmd::propagate
