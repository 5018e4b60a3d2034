// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/detail.h"

#include <array>

#include "base/diagnostic.h"

namespace podsim::sw::runtime {

std::string to_string(Detail detail) { return detail == Detail::tile ? "tile" : "replay"; }

Detail parse_detail(std::string_view name) {
  if (name == "tile") return Detail::tile;
  if (name == "replay") return Detail::replay;
  const std::array<std::string, 2> names{"tile", "replay"};
  std::string hint = base::did_you_mean(name, names);
  throw base::InputError("'" + std::string(name) + "' is not a level of detail",
                         hint.empty() ? "one of: tile, replay" : hint);
}

}  // namespace podsim::sw::runtime
