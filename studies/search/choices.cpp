// SPDX-License-Identifier: Apache-2.0
#include "studies/search/choices.h"

#include <algorithm>
#include <utility>

namespace podsim::studies::search {
namespace {

bool gives(const std::vector<std::string>& words, const std::string& flag) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return word == flag || word.starts_with(flag + "="); });
}

Alternative with_value(const std::string& flag, const std::string& value) {
  return {flag + " " + value, {flag, value}};
}

}  // namespace

std::vector<Choice> flag_choices(const std::vector<std::string>& words) {
  std::vector<Choice> choices;
  const bool trains = !gives(words, "--inference") && !gives(words, "--decode");
  const auto add = [&](const std::string& flag, Alternative without, std::vector<Alternative> with) {
    const bool is_of_training = flag == "--weight-update-sharding" || flag == "--rematerialise";
    if (gives(words, flag) || (is_of_training && !trains)) return;
    with.insert(with.begin(), std::move(without));
    choices.push_back({.name = flag, .of = std::move(with), .divides = flag == "--weight-update-sharding"});
  };
  add("--weight-update-sharding", {"--weight-update-sharding off", {}},
      {with_value("--weight-update-sharding", "auto")});
  add("--overlap", {"--overlap none", {}}, {with_value("--overlap", "collectives")});
  add("--windowed-einsum", {"no --windowed-einsum", {}}, {{"--windowed-einsum", {"--windowed-einsum"}}});
  add("--rematerialise", {"--rematerialise as it fits", {}},
      {with_value("--rematerialise", "none"), with_value("--rematerialise", "dots"),
       with_value("--rematerialise", "unbatched-dots"), with_value("--rematerialise", "layer")});
  return choices;
}

}  // namespace podsim::studies::search
