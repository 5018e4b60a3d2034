// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/factor_cut.h"

#include <algorithm>
#include <utility>

#include "sw/spmd/reshard.h"

namespace podsim::sw {

namespace {

/// What a partition does meanwhile, in bytes of a link of TPU v3 (82 GB/s): a product of a matrix unit (two of 61.5
/// TFLOP/s a core's), and a byte of HBM (450 GB/s a core's).
constexpr double link_bytes_per_product = 1.0 / 400, link_bytes_per_memory_byte = 1.0 / 6;

/// Sub-axes for a factor, as some array has them.
struct Proposal {
  int factor = 0;
  SubAxes sub_axes;
  bool operator==(const Proposal&) const = default;
};

/// What an array's sharding says of its factors: a dimension's sub-axes are dealt out from the major factor to the
/// minor while they divide it.
void propose(const Mesh& mesh, const OpRule& rule, const OpRule::Array& array, const AxisSharding& sharding,
             std::vector<Proposal>& proposals) {
  if (sharding.manual) return;
  for (std::size_t d = 0; d < array.size(); ++d) {
    const SubAxes& all = sharding.dimensions[d];
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

/// Every array's dimensions keep contiguous shards.
bool is_contiguous(const Mesh& mesh, const OpRule& rule, const FactorCuts& cuts) {
  const auto holds = [&](const std::vector<int>& factors) {
    if (factors.size() < 2) return true;
    bool is_single = true;  // each of the factors so far is cut to single elements
    for (const int factor : factors) {
      const std::int64_t size = rule.factors[std::size_t(factor)].size, parts = mesh.size(cuts[std::size_t(factor)]);
      if (parts > 1 && (!is_single || size % parts != 0)) return false;
      is_single = is_single && parts == size;
    }
    return true;
  };
  const auto all_hold = [&](const std::vector<OpRule::Array>& arrays) {
    return std::ranges::all_of(arrays, [&](const OpRule::Array& array) { return std::ranges::all_of(array, holds); });
  };
  return all_hold(rule.operands) && all_hold(rule.results);
}

void flatten(const Shape& shape, std::vector<const Shape*>& arrays) {
  if (!shape.is_tuple()) return arrays.push_back(&shape);
  for (const Shape& element : shape.tuple_shapes) flatten(element, arrays);
}

class CutSearch {
 public:
  CutSearch(const Mesh& mesh, const OpRule& rule, const OpToPartition& op, const std::vector<bool>& cuttable)
      : mesh_(mesh), rule_(rule), op_(op), cuttable_(cuttable), best_(rule.factors.size()) {
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
      // A result of one element that elements are moved to may come out of a large operand.
      const std::int64_t least = rule.factors[factor].kind == Factor::Kind::shifted ? 1 : 2;
      if (cuttable[factor] && rule.factors[factor].size >= least) {
        proposals_.push_back(std::move(proposal));
      } else {
        move_elsewhere(proposal.sub_axes);
      }
    }
  }

  FactorCuts run() && {
    FactorCuts first = best_;
    for (const Proposal& proposal : proposals_) {
      if (const FactorCuts next = with(first, proposal, false); !next.empty()) first = next;
    }
    cost_ = cost(best_);
    if (traffic(first) == 0) return first;
    accept(first);
    for (bool improves = true; improves;) {
      improves = false;
      for (const Proposal& proposal : proposals_) {
        improves |= accept(beside_the_rest(best_, proposal));
        improves |= accept(with(best_, proposal, true));
      }
      for (std::size_t factor = 0; factor < best_.size(); ++factor) {
        FactorCuts without = best_;
        without[factor].clear();
        improves |= accept(without);
      }
    }
    return std::move(best_);
  }

 private:
  /// Sub-axes of what cannot be cut may cut the largest factor that can, so that the work stays divided.
  void move_elsewhere(const SubAxes& sub_axes) {
    int largest = -1;
    for (std::size_t f = 0; f < rule_.factors.size(); ++f) {
      const Factor& factor = rule_.factors[f];
      const bool fits =
          cuttable_[f] && factor.kind == Factor::Kind::parallel && factor.size % mesh_.size(sub_axes) == 0;
      if (fits && (largest < 0 || factor.size > rule_.factors[std::size_t(largest)].size)) largest = int(f);
    }
    if (largest >= 0) proposals_.push_back({largest, sub_axes});
  }

  /// `cuts` with a proposal: what others have of its sub-axes they give up, or, if they need not, there is no result.
  FactorCuts with(FactorCuts cuts, const Proposal& proposal, bool takes) const {
    const auto is_taken = [&](SubAxis s) { return std::ranges::find(proposal.sub_axes, s) != proposal.sub_axes.end(); };
    for (std::size_t f = 0; f < cuts.size(); ++f) {
      const auto first = std::ranges::find_if(cuts[f], is_taken);
      const bool is_own = f == std::size_t(proposal.factor);
      if (!takes && (is_own ? !cuts[f].empty() : first != cuts[f].end())) return {};
      cuts[f].erase(first, cuts[f].end());
    }
    cuts[std::size_t(proposal.factor)] = proposal.sub_axes;
    return is_contiguous(mesh_, rule_, cuts) ? cuts : FactorCuts{};
  }

  /// `cuts` with a proposal, of whose sub-axes others give up no more than these, whatever order is left of theirs: a
  /// weight's gradient, wanted along the axis of the batch and another one, is cut along the other and summed.
  FactorCuts beside_the_rest(FactorCuts cuts, const Proposal& proposal) const {
    const auto is_taken = [&](SubAxis s) { return std::ranges::find(proposal.sub_axes, s) != proposal.sub_axes.end(); };
    for (SubAxes& sub_axes : cuts) std::erase_if(sub_axes, is_taken);
    cuts[std::size_t(proposal.factor)] = proposal.sub_axes;
    return is_contiguous(mesh_, rule_, cuts) ? cuts : FactorCuts{};
  }

  bool accept(const FactorCuts& cuts) {
    if (cuts.empty() || cuts == best_ || !is_contiguous(mesh_, rule_, cuts)) return false;
    const double other = cost(cuts);
    if (other >= cost_ * (1 - 1e-9)) return false;
    best_ = cuts;
    cost_ = other;
    return true;
  }

  double cost(const FactorCuts& cuts) const { return traffic(cuts) + work(cuts); }

  double traffic(const FactorCuts& cuts) const {
    double bytes = 0;
    for (std::size_t k = 0; k < rule_.operands.size(); ++k) {
      const LocalValue& operand = op_.operands[k];
      bytes += reshard_bytes(mesh_, operand.shape, operand.sharding, {}, sharding_under(rule_.operands[k], cuts));
    }
    const SubAxes reduced = reduced_sub_axes(rule_, cuts);
    for (std::size_t k = 0; k < rule_.results.size(); ++k) {
      bytes += reshard_bytes(mesh_, *results_[k], sharding_under(rule_.results[k], cuts), reduced, op_.wanted[k]);
    }
    return bytes;
  }

  double work(const FactorCuts& cuts) const {
    double bytes = 0;
    const auto add = [&](const Shape& shape, const OpRule::Array& array) {
      bytes += double(logical_bytes(local_shape(mesh_, shape, sharding_under(array, cuts))).value());
    };
    for (std::size_t k = 0; k < rule_.operands.size(); ++k) add(op_.operands[k].shape, rule_.operands[k]);
    for (std::size_t k = 0; k < rule_.results.size(); ++k) add(*results_[k], rule_.results[k]);
    double products = 0;
    if (const Opcode opcode = op_.instruction().opcode; opcode == Opcode::dot || opcode == Opcode::convolution) {
      products = 1;
      for (std::size_t f = 0; f < cuts.size(); ++f) {
        const std::int64_t parts = mesh_.size(cuts[f]);
        products *= double((rule_.factors[f].size + parts - 1) / parts);
      }
    }
    return bytes * link_bytes_per_memory_byte + products * link_bytes_per_product;
  }

  const Mesh& mesh_;
  const OpRule& rule_;
  const OpToPartition& op_;
  const std::vector<bool>& cuttable_;
  std::vector<const Shape*> results_;
  std::vector<Proposal> proposals_;
  FactorCuts best_;
  double cost_ = 0;
};

}  // namespace

AxisSharding sharding_under(const OpRule::Array& array, const FactorCuts& cuts) {
  AxisSharding sharding = replicated(int(array.size()));
  for (std::size_t d = 0; d < array.size(); ++d) {
    for (const int factor : array[d]) {
      const SubAxes& cut = cuts[std::size_t(factor)];
      sharding.dimensions[d].insert(sharding.dimensions[d].end(), cut.begin(), cut.end());
    }
  }
  return sharding;
}

SubAxes reduced_sub_axes(const OpRule& rule, const FactorCuts& cuts) {
  SubAxes reduced;
  for (std::size_t f = 0; f < cuts.size(); ++f) {
    if (rule.factors[f].kind != Factor::Kind::reduction) continue;
    reduced.insert(reduced.end(), cuts[f].begin(), cuts[f].end());
  }
  std::ranges::sort(reduced);
  return reduced;
}

FactorCuts choose_cuts(const Mesh& mesh, const OpRule& rule, const OpToPartition& op,
                       const std::vector<bool>& cuttable) {
  return CutSearch(mesh, rule, op, cuttable).run();
}

std::vector<bool> factors_of_kind(const OpRule& rule, std::initializer_list<Factor::Kind> kinds) {
  std::vector<bool> flags;
  for (const Factor& factor : rule.factors) flags.push_back(std::ranges::find(kinds, factor.kind) != kinds.end());
  return flags;
}

bool is_cut(const OpRule& rule, const FactorCuts& cuts, Factor::Kind kind) {
  for (std::size_t f = 0; f < cuts.size(); ++f) {
    if (rule.factors[f].kind == kind && !cuts[f].empty()) return true;
  }
  return false;
}

SubAxes cut_along(const OpRule& rule, const FactorCuts& cuts, const OpRule::Array& array, int dimension,
                  Factor::Kind kind) {
  const std::vector<int>& factors = array[std::size_t(dimension)];
  if (factors.size() != 1 || rule.factors[std::size_t(factors[0])].kind != kind) return {};
  return cuts[std::size_t(factors[0])];
}

LocalValue cut_operand(LocalProgram& program, const FactorCuts& cuts, const OpRule::Array& array,
                       const LocalValue& operand, std::span<const int> windowed) {
  AxisSharding target = sharding_under(array, cuts);
  for (const int d : windowed) {
    SubAxes& sub_axes = target.dimensions[std::size_t(d)];
    const bool cuts_another = std::ranges::any_of(sub_axes, [&](SubAxis s) { return operand.sharding.uses(s); });
    if (operand.sharding.dimensions[std::size_t(d)].empty() && !cuts_another) sub_axes.clear();
  }
  return reshard(program, operand, target);
}

LocalValue masked_for_reduction(LocalProgram& program, const OpRule& rule, const FactorCuts& cuts,
                                const OpRule::Array& array, const LocalValue& value, InstructionId fill) {
  std::vector<int> dimensions;
  for (int d = 0; d < int(array.size()); ++d) {
    if (!cut_along(rule, cuts, array, d, Factor::Kind::reduction).empty()) dimensions.push_back(d);
  }
  return program.masked(value, fill, dimensions);
}

Instruction attributes_of(const Instruction& instruction) {
  Instruction attributes = instruction;
  attributes.name.clear();
  attributes.operands.clear();
  attributes.sharding.reset();
  return attributes;
}

LocalValue cut_result(const OpRule& rule, const FactorCuts& cuts, std::size_t k, InstructionId id, const Shape& shape,
                      Opcode combiner) {
  return {id, shape, sharding_under(rule.results[k], cuts), reduced_sub_axes(rule, cuts), combiner};
}

}  // namespace podsim::sw
