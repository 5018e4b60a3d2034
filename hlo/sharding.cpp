// SPDX-License-Identifier: Apache-2.0
#include "hlo/sharding.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hlo/iota_devices.h"

namespace podsim::hlo {
namespace {

std::string subgroups_text(const Sharding& sharding) {
  if (sharding.subgroups.empty()) return "";
  if (sharding.subgroups == std::vector{Sharding::Subgroup::replicated}) return " last_tile_dim_replicate";
  std::vector<std::string_view> words;
  for (const Sharding::Subgroup kind : sharding.subgroups) {
    words.push_back(kind == Sharding::Subgroup::manual ? "manual" : "replicated");
  }
  return fmt::format(" last_tile_dims={{{}}}", fmt::join(words, ", "));
}

std::string tiled_text(const Sharding& sharding) {
  const std::string order = sharding.iota.empty() ? fmt::format("{}", fmt::join(sharding.devices, ","))
                                                  : "<=" + iota_text(sharding.iota, sharding.permutation);
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(sharding.tiles, ","), order, subgroups_text(sharding));
}

std::string tuple_text(const Sharding& sharding) {
  std::vector<std::string> parts;
  for (const Sharding& element : sharding.elements) parts.push_back(to_string(element));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::int64_t> Sharding::device_list() const {
  return iota.empty() ? devices : expand_iota(iota, permutation);
}

std::string to_string(const Sharding& sharding) {
  switch (sharding.kind) {
    case Sharding::Kind::replicated:
      return "{replicated}";
    case Sharding::Kind::maximal:
      return fmt::format("{{maximal device={}}}", sharding.device);
    case Sharding::Kind::manual:
      return "{manual}";
    case Sharding::Kind::unknown:
      return "{unknown}";
    case Sharding::Kind::tiled:
      return tiled_text(sharding);
    case Sharding::Kind::tuple:
      return tuple_text(sharding);
  }
  return "";
}

}  // namespace podsim::hlo
