// SPDX-License-Identifier: Apache-2.0
#include "app/point_worker.h"

#include "app/child_process.h"
#include "app/command_line.h"

namespace podsim::app {

PointOutput PointWorker::run(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"podsim"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.emplace_back("--json");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return run_in_child([&] { return run_command_line(int(pointers.size()), pointers.data()); });
}

}  // namespace podsim::app
