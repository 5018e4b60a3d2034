// SPDX-License-Identifier: Apache-2.0
#include "app/point_task.h"

#include <nlohmann/json.hpp>

namespace podsim::app {

using Json = nlohmann::json;

std::string to_message(const PointTask& task) {
  return Json{{"arguments", task.arguments}, {"limit_s", task.limit_s}}.dump();
}

PointTask task_of_message(const std::string& message) {
  const Json json = Json::parse(message);
  return {json.at("arguments"), json.at("limit_s")};
}

}  // namespace podsim::app
