// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "studies/optimise/search_problem.h"

/// The methods of a search. A method is a function of what was tried: it has no state, looks at no clock and does not
/// know how many runs go on at once. Therefore a search that is ended and begun again, with its results, chooses the
/// same candidates.
namespace podsim::studies::optimise {

struct SearchOptions {
  std::int64_t points = 0;  ///< candidates in all; for halving those of the first round
  std::uint64_t seed = 0;
  std::int64_t batch = 4;                    ///< candidates that the Gaussian process chooses before it sees results
  std::int64_t begin = 0;                    ///< candidates drawn at random before the Gaussian process chooses
  std::int64_t keep = 3;                     ///< halving: one candidate in `keep` goes on
  std::optional<std::size_t> fidelity = {};  ///< halving: dimension whose values are rounds, the last one the whole
  std::optional<Candidate> start = {};       ///< the baseline, which is tried first where the constraints allow it
};

/// At most this many candidates of the random order are looked at when some are drawn, since constraints may leave
/// nearly nothing of a large space.
inline constexpr std::int64_t most_looked_at = 1'000'000;

/// Draws `points` candidates without repetition, in one batch.
std::vector<Candidate> next_random(SearchProblem& problem, const SearchOptions& options,
                                   const std::vector<Tried>& tried);

/// After `begin` drawn candidates, batches of those with the largest expected gain of the dominated volume
/// (hypervolume.h) under a Gaussian process per objective (gaussian_process.h), times the probability that they are
/// eligible under a further one. Costs of one sign are modelled, and measured, by the logarithm of their amount. Within
/// a batch the processes take their mean at candidates chosen before for a result (Ginsbourger, Le Riche and Carraro,
/// Kriging is well-suited to parallelize optimization, 2010: Kriging believer). All allowed candidates of a space of up
/// to 4096 are compared, of a larger one the neighbours of the best and 2048 drawn ones.
std::vector<Candidate> next_gaussian(SearchProblem& problem, const SearchOptions& options,
                                     const std::vector<Tried>& tried);

/// Successive halving (Jamieson and Talwalkar, AISTATS 2016): `points` drawn candidates run with the first value of the
/// fidelity, the best one in `keep` of them with the next value, and so on. The start goes through all rounds. Best is
/// the least cost; with several objectives first what no other candidate dominates, in order of the volume that each
/// adds, then what is left by the same rule.
std::vector<Candidate> next_halving(SearchProblem& problem, const SearchOptions& options,
                                    const std::vector<Tried>& tried);

}  // namespace podsim::studies::optimise
