// SPDX-License-Identifier: Apache-2.0
#include "base/parameters/related_values.h"

#include <algorithm>
#include <utility>

namespace podsim::base::parameters {

void reject_together(const Config& config, const Keys& keys, const std::string& problem, std::string hint) {
  const auto set =
      std::ranges::find_if(keys, [&](const std::string& key) { return config.entry(key).evidence == Evidence::user; });
  std::string values;
  for (const std::string& key : keys) {
    values += (values.empty() ? ": '" : ", '") + key + "' is " + config.entry(key).text;
  }
  config.reject(set == keys.end() ? keys.front() : *set, problem + values, std::move(hint));
}

void require_at_least_sum(const Config& config, const std::string& key, const Keys& parts, const std::string& why) {
  std::int64_t least = 0;
  std::string names;
  for (const std::string& part : parts) {
    least += config.integer(part);
    names += (names.empty() ? "'" : " + '") + part + "'";
  }
  if (config.integer(key) >= least) return;
  Keys keys{key};
  keys.insert(keys.end(), parts.begin(), parts.end());
  reject_together(config, keys, "'" + key + "' must be at least " + names, why);
}

}  // namespace podsim::base::parameters
