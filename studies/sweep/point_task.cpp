// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/point_task.h"

#include <nlohmann/json.hpp>

#include "base/text/json_text.h"

namespace podsim::studies::sweep {

std::string to_message(const PointTask& task) {
  return base::text::json_text(nlohmann::json{{"arguments", task.arguments}, {"limit_s", task.limit_s}});
}

PointTask task_of_message(const std::string& message) {
  const auto json = nlohmann::json::parse(message);
  return {json.at("arguments"), json.at("limit_s")};
}

}  // namespace podsim::studies::sweep
