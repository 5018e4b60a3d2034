// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/search_method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

namespace podsim::studies::optimise {
namespace {

constexpr std::int64_t side = 25;

std::vector<std::int64_t> steps() {
  std::vector<std::int64_t> ranks(side);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// Functions on a grid of 25 x 25, of coordinates from 0 to 1 in both dimensions, all of which only runs tell.
class GridProblem : public SearchProblem {
 public:
  using Function = std::function<double(double, double)>;
  explicit GridProblem(std::vector<Function> functions) : functions_(std::move(functions)) {}

  const SearchSpace& space() const override { return space_; }
  std::size_t objectives() const override { return functions_.size(); }
  bool allows(const Candidate& candidate) override { return allowed(candidate); }
  std::optional<double> known_cost(const Candidate& candidate, std::size_t objective) override {
    if (objective >= known) return std::nullopt;
    return costs(candidate)[objective];
  }
  bool can_run(const Candidate& candidate) override { return runs(candidate); }

  Costs costs(const Candidate& candidate) const {
    Costs costs;
    for (const Function& function : functions_) {
      costs.push_back(function(double(candidate[0]) / (side - 1), double(candidate[1]) / (side - 1)));
    }
    return costs;
  }
  Costs least() const {
    Costs least = costs(space_.candidate(0));
    for (std::int64_t i = 1; i < space_.size(); ++i) least = std::min(least, costs(space_.candidate(i)));
    return least;
  }

  std::function<bool(const Candidate&)> allowed = [](const Candidate&) { return true; };
  std::function<bool(const Candidate&)> runs = [](const Candidate&) { return true; };
  std::function<bool(const Candidate&)> eligible = [](const Candidate&) { return true; };
  std::size_t known = 0;  ///< number of objectives that are known before runs

 private:
  std::vector<Function> functions_;
  SearchSpace space_{{{side, steps()}, {side, steps()}}};
};

using Method = std::vector<Candidate> (*)(SearchProblem&, const SearchOptions&, const std::vector<Tried>&);

/// Runs a search to its end, or until `enough`.
std::vector<Tried> search(
    GridProblem& problem, Method method, const SearchOptions& options,
    const std::function<bool(const std::vector<Tried>&)>& enough = [](const std::vector<Tried>&) { return false; }) {
  std::vector<Tried> tried;
  for (;;) {
    const std::vector<Candidate> batch = method(problem, options, tried);
    if (batch.empty() || enough(tried)) return tried;
    for (const Candidate& candidate : batch) {
      tried.push_back({candidate, problem.costs(candidate), problem.eligible(candidate)});
    }
  }
}

/// Branin's function (Dixon and Szego, 1978), with three equal minima in the plane, of which a grid has one least
/// point.
double branin(double x, double y) {
  const double a = 15 * x - 5, b = 15 * y, pi = std::numbers::pi;
  const double bowl = b - 5.1 / (4 * pi * pi) * a * a + 5 / pi * a - 6;
  return bowl * bowl + 10 * (1 - 1 / (8 * pi)) * std::cos(a) + 10;
}

/// Mean over ten seeds of the number of points until the exhaustive minimum is found, of 625.
double mean_points(GridProblem& problem, Method method) {
  const Costs least = problem.least();
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SearchOptions options{.points = side * side, .seed = seed, .batch = 2, .begin = 6};
    const auto is_least = [&](const Tried& one) { return one.costs == least; };
    const std::vector<Tried> tried = search(problem, method, options, [&](const std::vector<Tried>& so_far) {
      return std::ranges::any_of(so_far, is_least);
    });
    sum += double(std::ranges::find_if(tried, is_least) - tried.begin() + 1);
  }
  return sum / 10;
}

/// Without repetition a random search needs 313 of 625 points on average, within three deviations of 57.
TEST(SearchMethod, AGaussianProcessFindsTheMinimumOfBraninWithFewPoints) {
  GridProblem problem({branin});
  EXPECT_NEAR(mean_points(problem, next_random), 313, 3 * 57);
  EXPECT_LT(mean_points(problem, next_gaussian), 313.0 / 5);
}

/// Volume below (2, 2) of the points that a search of 40 has found, of Schaffer's two parabolas with a wave.
double volume_found(Method method, std::uint64_t seed) {
  GridProblem problem({[](double x, double y) { return 2 * x * x + y; },
                       [](double x, double y) { return 2 * (x - 1) * (x - 1) + y * (1.5 + std::sin(9 * x)); }});
  const SearchOptions options{.points = 40, .seed = seed, .batch = 4, .begin = 8};
  std::vector<Costs> found;
  for (const Tried& one : search(problem, method, options)) found.push_back(*one.costs);
  return HypervolumeFront(found, {2, 2}).volume();
}

/// The front has y = 0: 25 of 625 points.
TEST(SearchMethod, AGaussianProcessFindsMoreOfAFront) {
  double modelled = 0, drawn = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    modelled += volume_found(next_gaussian, seed);
    drawn += volume_found(next_random, seed);
  }
  double all = 0;  // strips between the points (2 x^2, 2 (x - 1)^2), up to x = 1
  for (std::int64_t i = 0; i < side; ++i) {
    const double x = double(i) / (side - 1), next = i + 1 < side ? double(i + 1) / (side - 1) : 1;
    all += (2 * next * next - 2 * x * x) * (2 - 2 * (x - 1) * (x - 1));
  }
  EXPECT_GT(modelled / 10, 0.97 * all);
  EXPECT_LT(drawn / 10, 0.95 * all);
}

TEST(SearchMethod, ALongerSearchBeginsWithTheShorterOne) {
  GridProblem problem({branin});
  for (const Method method : {next_random, next_gaussian}) {
    const auto points = [&](std::int64_t count) {
      std::vector<Candidate> candidates;
      for (const Tried& one : search(problem, method, {.points = count, .seed = 5, .batch = 4, .begin = 6})) {
        candidates.push_back(one.candidate);
      }
      return candidates;
    };
    std::vector<Candidate> all = points(30);
    all.resize(17);
    EXPECT_EQ(points(17), all);
  }
}

/// The least eligible value of x + y above a line that the search does not know is on that line.
TEST(SearchMethod, AGaussianProcessLearnsWhatIsEligible) {
  GridProblem problem({[](double x, double y) { return x + y; }});
  problem.eligible = [](const Candidate& candidate) { return 2 * candidate[0] + candidate[1] >= 30; };
  const std::vector<Tried> tried = search(problem, next_gaussian, {.points = 40, .seed = 1, .batch = 2, .begin = 6});
  double best = 2;
  for (const Tried& one : tried) {
    if (one.eligible) best = std::min(best, one.costs->front());
  }
  EXPECT_NEAR(best, 15.0 / 24, 1.01 / 24);  // at (15, 0), or one step off it
}

TEST(SearchMethod, NothingRunsThatMustNotOrTwice) {
  GridProblem problem({branin, [](double x, double) { return x; }});
  problem.known = 0;
  problem.allowed = [](const Candidate& candidate) { return candidate[0] % 3 == 0; };
  problem.runs = [](const Candidate& candidate) { return candidate[1] % 5 == 0; };
  for (const Method method : {next_random, next_gaussian}) {
    std::vector<Candidate> candidates;
    for (const Tried& one : search(problem, method, {.points = 100, .seed = 2, .batch = 7, .begin = 6})) {
      EXPECT_TRUE(problem.allowed(one.candidate) && problem.runs(one.candidate));
      candidates.push_back(one.candidate);
    }
    std::ranges::sort(candidates);
    EXPECT_EQ(std::ranges::adjacent_find(candidates), candidates.end());
    EXPECT_EQ(candidates.size(), 9U * 5U);  // the whole of the space
  }
}

/// With a fidelity that changes nothing the last round has the best of the first one: 16, 4 and the start, 1 and the
/// start.
TEST(SearchMethod, HalvingKeepsTheBest) {
  GridProblem problem({[](double x, double) { return (x - 0.3) * (x - 0.3); }});
  problem.allowed = [](const Candidate& candidate) { return candidate[1] < 3; };
  const SearchOptions options{.points = 16, .seed = 3, .keep = 4, .fidelity = 1, .start = Candidate{24, 0}};
  std::vector<std::vector<Tried>> rounds(3);
  std::vector<Tried> tried;
  for (int round = 0; round < 3; ++round) {
    for (const Candidate& candidate : next_halving(problem, options, tried)) {
      EXPECT_EQ(candidate[1], round);
      rounds[std::size_t(round)].push_back({candidate, problem.costs(candidate), true});
    }
    const auto& last = rounds[std::size_t(round)];
    tried.insert(tried.end(), last.begin(), last.end());
    EXPECT_EQ(last.front().candidate[0], 24);
  }
  EXPECT_EQ(rounds[0].size(), 16U);
  EXPECT_EQ(rounds[1].size(), 5U);
  EXPECT_EQ(rounds[2].size(), 2U);
  const auto cost = [](const Tried& one) { return one.costs->front(); };
  EXPECT_EQ(cost(rounds[2][1]), cost(*std::ranges::min_element(rounds[0], {}, cost)));
}

}  // namespace
}  // namespace podsim::studies::optimise
