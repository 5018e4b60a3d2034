// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "studies/search/step_search.h"

namespace podsim::studies::search {

/// A way that differs from the best one in one thing.
struct OneChange {
  std::string name;       ///< "--overlap none", "layer*/ffn/w_in[1] along no axis"
  std::size_t visit = 0;  ///< into the outcome's visits
};

/// The visits that differ from the best in one choice, or in the axes of one class, the best first; those that do not
/// run last.
std::vector<OneChange> changes_from_best(const SearchQuestion& question, const SearchOutcome& outcome);

/// Visits that no other one beats in both step time and peak of memory, the fastest first.
std::vector<std::size_t> pareto_front(const SearchOutcome& outcome);

/// The answer of a search: the best way with its command line, what bounds it, what each choice is worth, the front of
/// step time against memory, and what did not run.
std::string search_text(const SearchQuestion& question, const SearchOutcome& outcome);
nlohmann::ordered_json search_json(const SearchQuestion& question, const SearchOutcome& outcome);

}  // namespace podsim::studies::search
