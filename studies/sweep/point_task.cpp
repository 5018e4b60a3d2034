// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/point_task.h"

#include <nlohmann/json.hpp>

namespace podsim::studies::sweep {

std::string to_message(const PointTask& task) {
  return nlohmann::json{{"arguments", task.arguments}, {"limit_s", task.limit_s}}.dump();
}

PointTask task_of_message(const std::string& message) {
  const auto json = nlohmann::json::parse(message);
  return {json.at("arguments"), json.at("limit_s")};
}

}  // namespace podsim::studies::sweep
