// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/factor_split.h"

#include <algorithm>
#include <utility>

#include "hlo/spmd/reshard/reshard.h"

namespace podsim::hlo::spmd::partition {

namespace {

/// Sub-axes for a factor, taken from the sharding of some array.
struct Proposal {
  int factor = 0;
  mesh::SubAxes sub_axes;
  bool operator==(const Proposal&) const = default;
};

/// Adds proposals for the factors of an array from its sharding. The sub-axes of a dimension are assigned to its
/// factors from the major to the minor, as long as they divide them.
void propose(const mesh::Mesh& mesh, const propagate::OpRule& rule, const propagate::OpRule::Array& array,
             const mesh::AxisSharding& sharding, std::vector<Proposal>& proposals) {
  if (sharding.manual) return;
  for (std::size_t d = 0; d < array.size(); ++d) {
    const mesh::SubAxes& all = sharding.dimensions[d];
    std::size_t next = 0;
    for (const int factor : array[d]) {
      Proposal proposal{factor, {}};
      if (array[d].size() == 1) {
        proposal.sub_axes = all;
        next = all.size();
      }
      std::int64_t left = rule.factors[std::size_t(factor)].size;
      for (; next < all.size() && left % mesh.size(all[next]) == 0; ++next) {
        left /= mesh.size(all[next]);
        proposal.sub_axes.push_back(all[next]);
      }
      const bool is_whole = left == 1;
      if (!proposal.sub_axes.empty() && std::ranges::find(proposals, proposal) == proposals.end()) {
        proposals.push_back(std::move(proposal));
      }
      if (!is_whole) break;
    }
  }
}

/// True if the shards of every array are contiguous along each dimension.
bool is_contiguous(const mesh::Mesh& mesh, const propagate::OpRule& rule, const FactorSplit& split) {
  const auto holds = [&](const std::vector<int>& factors) {
    if (factors.size() < 2) return true;
    bool is_single = true;  // all factors so far are split to single elements
    for (const int factor : factors) {
      const std::int64_t size = rule.factors[std::size_t(factor)].size, parts = mesh.size(split[std::size_t(factor)]);
      if (parts > 1 && (!is_single || size % parts != 0)) return false;
      is_single = is_single && parts == size;
    }
    return true;
  };
  const auto all_hold = [&](const std::vector<propagate::OpRule::Array>& arrays) {
    return std::ranges::all_of(
        arrays, [&](const propagate::OpRule::Array& array) { return std::ranges::all_of(array, holds); });
  };
  return all_hold(rule.operands) && all_hold(rule.results);
}

void flatten(const hlo::Shape& shape, std::vector<const hlo::Shape*>& arrays) {
  if (!shape.is_tuple()) return arrays.push_back(&shape);
  for (const hlo::Shape& element : shape.tuple_shapes) flatten(element, arrays);
}

class SplitSearch {
 public:
  SplitSearch(const mesh::Mesh& mesh, const propagate::OpRule& rule, const partition::OpToPartition& op,
              const std::vector<bool>& splittable)
      : mesh_(mesh), rule_(rule), op_(op), splittable_(splittable), best_(rule.factors.size()) {
    flatten(op.instruction().shape, results_);
    std::vector<Proposal> proposals;
    for (std::size_t k = 0; k < rule.results.size(); ++k) {
      propose(mesh, rule, rule.results[k], op.wanted[k], proposals);
    }
    for (std::size_t k = 0; k < rule.operands.size(); ++k) {
      propose(mesh, rule, rule.operands[k], op.operands[k].sharding, proposals);
    }
    for (Proposal& proposal : proposals) {
      const auto factor = std::size_t(proposal.factor);
      // A shifted factor has the size of the result, which may be 1 even if the operand is large.
      const std::int64_t least = rule.factors[factor].kind == propagate::Factor::Kind::shifted ? 1 : 2;
      if (splittable[factor] && rule.factors[factor].size >= least) {
        proposals_.push_back(std::move(proposal));
      } else {
        move_elsewhere(proposal.sub_axes);
      }
    }
  }

  FactorSplit run() && {
    FactorSplit first = best_;
    for (const Proposal& proposal : proposals_) {
      if (const FactorSplit next = with(first, proposal, false); !next.empty()) first = next;
    }
    if (traffic(first) == 0) return first;
    cost_ = cost(best_);
    accept(first);
    for (bool improves = true; improves;) {
      improves = false;
      for (const Proposal& proposal : proposals_) {
        improves |= accept(beside_the_rest(best_, proposal));
        improves |= accept(with(best_, proposal, true));
      }
      for (std::size_t factor = 0; factor < best_.size(); ++factor) {
        FactorSplit without = best_;
        without[factor].clear();
        improves |= accept(without);
      }
    }
    return std::move(best_);
  }

 private:
  /// Proposes the sub-axes of a factor that cannot be split for the largest parallel factor that they divide, so that
  /// the work stays divided.
  void move_elsewhere(const mesh::SubAxes& sub_axes) {
    int largest = -1;
    for (std::size_t f = 0; f < rule_.factors.size(); ++f) {
      const propagate::Factor& factor = rule_.factors[f];
      const bool fits =
          splittable_[f] && factor.kind == propagate::Factor::Kind::parallel && factor.size % mesh_.size(sub_axes) == 0;
      if (fits && (largest < 0 || factor.size > rule_.factors[std::size_t(largest)].size)) largest = int(f);
    }
    if (largest >= 0) proposals_.push_back({largest, sub_axes});
  }

  /// `split` with a proposal. Other factors that have one of its sub-axes give it up and every sub-axis after it, if
  /// `takes`; otherwise the result is empty in that case, and if the factor is split already.
  FactorSplit with(FactorSplit split, const Proposal& proposal, bool takes) const {
    const auto is_taken = [&](mesh::SubAxis s) {
      return std::ranges::find(proposal.sub_axes, s) != proposal.sub_axes.end();
    };
    for (std::size_t f = 0; f < split.size(); ++f) {
      const auto first = std::ranges::find_if(split[f], is_taken);
      const bool is_own = f == std::size_t(proposal.factor);
      if (!takes && (is_own ? !split[f].empty() : first != split[f].end())) return {};
      split[f].erase(first, split[f].end());
    }
    split[std::size_t(proposal.factor)] = proposal.sub_axes;
    return is_contiguous(mesh_, rule_, split) ? split : FactorSplit{};
  }

  /// `split` with a proposal. Other factors give up only its sub-axes and keep all others: the gradient of a weight
  /// that is wanted along the batch axis and another one is split along the other and summed along the batch axis.
  FactorSplit beside_the_rest(FactorSplit split, const Proposal& proposal) const {
    const auto is_taken = [&](mesh::SubAxis s) {
      return std::ranges::find(proposal.sub_axes, s) != proposal.sub_axes.end();
    };
    for (mesh::SubAxes& sub_axes : split) std::erase_if(sub_axes, is_taken);
    split[std::size_t(proposal.factor)] = proposal.sub_axes;
    return is_contiguous(mesh_, rule_, split) ? split : FactorSplit{};
  }

  bool accept(const FactorSplit& split) {
    if (split.empty() || split == best_ || !is_contiguous(mesh_, rule_, split)) return false;
    const double other = cost(split);
    if (other >= cost_ * (1 - 1e-9)) return false;
    best_ = split;
    cost_ = other;
    return true;
  }

  double cost(const FactorSplit& split) const { return traffic(split) + work(split); }

  double traffic(const FactorSplit& split) const {
    double bytes = 0;
    for (std::size_t k = 0; k < rule_.operands.size(); ++k) {
      const reshard::LocalValue& operand = op_.operands[k];
      bytes +=
          reshard::reshard_bytes(mesh_, operand.shape, operand.sharding, {}, sharding_under(rule_.operands[k], split));
    }
    const mesh::SubAxes reduced = reduced_sub_axes(rule_, split);
    for (std::size_t k = 0; k < rule_.results.size(); ++k) {
      bytes +=
          reshard::reshard_bytes(mesh_, *results_[k], sharding_under(rule_.results[k], split), reduced, op_.wanted[k]);
    }
    return bytes;
  }

  double work(const FactorSplit& split) const {
    double bytes = 0;
    const auto add = [&](const hlo::Shape& shape, const propagate::OpRule::Array& array) {
      bytes += double(hlo::logical_bytes(mesh::local_shape(mesh_, shape, sharding_under(array, split))).value());
    };
    for (std::size_t k = 0; k < rule_.operands.size(); ++k) add(op_.operands[k].shape, rule_.operands[k]);
    for (std::size_t k = 0; k < rule_.results.size(); ++k) add(*results_[k], rule_.results[k]);
    double products = 0;
    if (const hlo::Opcode opcode = op_.instruction().opcode;
        opcode == hlo::Opcode::dot || opcode == hlo::Opcode::convolution) {
      products = 1;
      for (std::size_t f = 0; f < split.size(); ++f) {
        const std::int64_t parts = mesh_.size(split[f]);
        products *= double((rule_.factors[f].size + parts - 1) / parts);
      }
    }
    const PartitionCosts& costs = op_.options.costs;
    return bytes * costs.per_memory_byte + products * costs.per_product;
  }

  const mesh::Mesh& mesh_;
  const propagate::OpRule& rule_;
  const partition::OpToPartition& op_;
  const std::vector<bool>& splittable_;
  std::vector<const hlo::Shape*> results_;
  std::vector<Proposal> proposals_;
  FactorSplit best_;
  double cost_ = 0;
};

}  // namespace

mesh::AxisSharding sharding_under(const propagate::OpRule::Array& array, const FactorSplit& split) {
  mesh::AxisSharding sharding = mesh::replicated(int(array.size()));
  for (std::size_t d = 0; d < array.size(); ++d) {
    for (const int factor : array[d]) {
      const mesh::SubAxes& axes = split[std::size_t(factor)];
      sharding.dimensions[d].insert(sharding.dimensions[d].end(), axes.begin(), axes.end());
    }
  }
  return sharding;
}

mesh::SubAxes reduced_sub_axes(const propagate::OpRule& rule, const FactorSplit& split) {
  mesh::SubAxes reduced;
  for (std::size_t f = 0; f < split.size(); ++f) {
    if (rule.factors[f].kind != propagate::Factor::Kind::reduction) continue;
    reduced.insert(reduced.end(), split[f].begin(), split[f].end());
  }
  std::ranges::sort(reduced);
  return reduced;
}

FactorSplit choose_split(const mesh::Mesh& mesh, const propagate::OpRule& rule, const partition::OpToPartition& op,
                         const std::vector<bool>& splittable) {
  return SplitSearch(mesh, rule, op, splittable).run();
}

std::vector<bool> factors_of_kind(const propagate::OpRule& rule, std::initializer_list<propagate::Factor::Kind> kinds) {
  std::vector<bool> flags;
  for (const propagate::Factor& factor : rule.factors)
    flags.push_back(std::ranges::find(kinds, factor.kind) != kinds.end());
  return flags;
}

bool is_split(const propagate::OpRule& rule, const FactorSplit& split, propagate::Factor::Kind kind) {
  for (std::size_t f = 0; f < split.size(); ++f) {
    if (rule.factors[f].kind == kind && !split[f].empty()) return true;
  }
  return false;
}

mesh::SubAxes split_along(const propagate::OpRule& rule, const FactorSplit& split,
                          const propagate::OpRule::Array& array, int dimension, propagate::Factor::Kind kind) {
  const std::vector<int>& factors = array[std::size_t(dimension)];
  if (factors.size() != 1 || rule.factors[std::size_t(factors[0])].kind != kind) return {};
  return split[std::size_t(factors[0])];
}

reshard::LocalValue sharded_operand(reshard::LocalProgram& program, const FactorSplit& split,
                                    const propagate::OpRule::Array& array, const reshard::LocalValue& operand,
                                    std::span<const int> windowed) {
  mesh::AxisSharding target = sharding_under(array, split);
  for (const int d : windowed) {
    mesh::SubAxes& sub_axes = target.dimensions[std::size_t(d)];
    const bool splits_another =
        std::ranges::any_of(sub_axes, [&](mesh::SubAxis s) { return operand.sharding.uses(s); });
    if (operand.sharding.dimensions[std::size_t(d)].empty() && !splits_another) sub_axes.clear();
  }
  return reshard::reshard(program, operand, target);
}

reshard::LocalValue masked_for_reduction(reshard::LocalProgram& program, const propagate::OpRule& rule,
                                         const FactorSplit& split, const propagate::OpRule::Array& array,
                                         const reshard::LocalValue& value, hlo::InstructionId fill) {
  std::vector<int> dimensions;
  for (int d = 0; d < int(array.size()); ++d) {
    if (!split_along(rule, split, array, d, propagate::Factor::Kind::reduction).empty()) dimensions.push_back(d);
  }
  return program.masked(value, fill, dimensions);
}

hlo::Instruction attributes_of(const hlo::Instruction& instruction) {
  hlo::Instruction attributes = instruction;
  attributes.name.clear();
  attributes.operands.clear();
  attributes.sharding.reset();
  return attributes;
}

reshard::LocalValue sharded_result(const propagate::OpRule& rule, const FactorSplit& split, std::size_t k,
                                   hlo::InstructionId id, const hlo::Shape& shape, hlo::Opcode combiner) {
  return {id, shape, sharding_under(rule.results[k], split), reduced_sub_axes(rule, split), combiner};
}

}  // namespace podsim::hlo::spmd::partition
