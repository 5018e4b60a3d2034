// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/dram_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/parameters/related_values.h"
#include "base/parameters/section.h"
#include "hw/parts/hbm/custom_address_map.h"
#include "hw/parts/hbm/custom_scheduler.h"
#include "hw/parts/hbm/stream_range.h"

namespace podsim::hw::parts::hbm {

namespace {

constexpr std::int64_t max_queued = 65536;  // bursts

/// Twice what JEDEC allows. Rates of streams are measured over refresh intervals, so that longer ones take forever.
constexpr std::int64_t longest_refresh_interval = 65536;

/// Times but those of refreshes take some hundred clocks at most; banks that take longer serve nothing between two
/// refreshes.
base::parameters::kind::CycleCount clocks(std::int64_t least) { return base::parameters::kind::cycles(least, 4096); }

/// What the times of one memory say of each other. A bank that breaks these does in the model what none can: with
/// closed pages nothing but rc keeps a row open for ras.
void relate_timing(const base::Config& config) {
  const auto least = [&](const std::string& key, base::parameters::Keys parts, const char* why) {
    for (std::string& part : parts) {
      if (part.find('.') == std::string::npos) part = "hbm_timing." + part;
    }
    base::parameters::require_at_least_sum(config, "hbm_timing." + key, parts, why);
  };
  least("rc", {"ras", "rp"}, "a row stays open for ras, and its bank is precharged in rp, before another opens");
  least("ras", {"rcd_read"}, "a row is sensed in rcd before it is restored and closed");
  least("ras", {"rcd_write"}, "a row is sensed in rcd before it is restored and closed");
  least("cl", {"cwl"}, "data to write do not come later than data that are read");
  least("ccd_s", {"hbm.burst_clocks"}, "bursts would overlap on the data pins");
  least("ccd_l", {"ccd_s"}, "a bank group is no faster than two of them");
  least("rrd_l", {"rrd_s"}, "a bank group is no faster than two of them");
  least("wtr_l", {"wtr_s"}, "a bank group is no faster than two of them");
  least("faw", {"rrd_s"}, "the time of four activates holds that of one");
  least("rfc_all", {"rfc_bank"}, "a refresh of all banks holds that of each");
  if (config.integer("hbm_timing.refi") <= 2 * config.integer("hbm_timing.rfc_all")) {
    base::parameters::reject_together(config, {"hbm_timing.refi", "hbm_timing.rfc_all"},
                                      "refresh would take most of the time: 'hbm_timing.refi' must be more than twice "
                                      "'hbm_timing.rfc_all'");
  }
}

std::optional<AddressField> field_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, AddressField>, 5> fields{
      {{"row", AddressField::row},
       {"bank", AddressField::bank},
       {"bank_group", AddressField::bank_group},
       {"pseudo_channel", AddressField::pseudo_channel},
       {"column", AddressField::column}}};
  const auto* found = std::ranges::find(fields, name, &std::pair<std::string_view, AddressField>::first);
  return found == fields.end() ? std::nullopt : std::optional(found->second);
}

/// The names of all fields, separated by a space, or a registered map.
struct FieldOrder {
  std::vector<AddressField> operator()(const base::parameters::Reading& reading, const std::string& key) const {
    std::vector<AddressField> fields = order_of_custom_map(reading.config.string(key));
    if (!fields.empty()) return fields;
    std::string_view rest = reading.config.string(key);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const auto field = field_named(rest.substr(0, end));
      if (!field || std::ranges::count(fields, *field) != 0) break;
      fields.push_back(*field);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!rest.empty() || fields.size() != 5) {
      const std::vector<std::string> maps = custom_map_names();
      reading.config.reject(
          key,
          fmt::format("'hbm.address_order' names row, bank, bank_group, pseudo_channel and column, each once, most "
                      "significant first{}{}",
                      maps.empty() ? "" : ", or a registered map: ", fmt::join(maps, ", ")));
    }
    return fields;
  }
};

/// A scheduler by its name.
struct SchedulerName {
  std::int64_t operator()(const base::parameters::Reading& reading, const std::string& key) const {
    const std::vector<std::string> names = scheduler_names();
    const auto found = std::ranges::find(names, reading.config.string(key));
    if (found == names.end()) base::parameters::kind::reject_choice(reading, key, {names.begin(), names.end()});
    return found - names.begin();
  }
};

/// Banks of a group, at most 64 in all groups. The number of groups has been read.
struct BanksOfGroup {
  std::int64_t operator()(const base::parameters::Reading& reading, const std::string& key) const {
    return base::parameters::kind::PowerOfTwo{64 / reading.config.integer("hbm.bank_groups")}(reading, key);
  }
};

/// A power of two of at least a burst. The size of a burst has been read.
struct WholeBursts {
  base::Bytes operator()(const base::parameters::Reading& reading, const std::string& key) const {
    return base::parameters::kind::SizePowerOfTwo{reading.config.bytes("hbm.burst"), base::Bytes(1 << 20)}(reading,
                                                                                                           key);
  }
};

/// Values that each may be right and do not go together.
void relate(const base::Config& config, const DramParameters& dram) {
  relate_timing(config);
  // A request of one interleave unit must fit into a queue for any order of address fields.
  for (const char* queue : {"hbm.read_queue_bursts", "hbm.write_queue_bursts"}) {
    if (config.integer(queue) < dram.address.interleave / dram.organization.burst) {
      base::parameters::reject_together(config, {queue, "hbm.interleave", "hbm.burst"},
                                        std::string("'") + queue + "' must hold the bursts of one 'hbm.interleave'");
    }
  }
  base::parameters::require_at_least_sum(config, "hbm.write_queue_bursts", {"hbm.drain_high_bursts"},
                                         "no more writes wait");
  if (dram.policy.drain_low >= dram.policy.drain_high) {
    base::parameters::reject_together(
        config, {"hbm.drain_low_bursts", "hbm.drain_high_bursts"},
        "a drain leaves fewer writes than start it: 'hbm.drain_low_bursts' must be less than "
        "'hbm.drain_high_bursts'");
  }
}

}  // namespace

const base::parameters::Section<DramTiming>& DramTiming::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::KeyLevels where{ops, collectives, packets, banks, chip, kernels};
  static const base::parameters::Section<DramTiming> keys(
      "hbm_timing",
      {
          {"cl", &DramTiming::cl, clocks(1), where},
          {"cwl", &DramTiming::cwl, clocks(1), where},
          {"rcd_read", &DramTiming::rcd_read, clocks(1), where},
          {"rcd_write", &DramTiming::rcd_write, clocks(1), where},
          {"rp", &DramTiming::rp, clocks(1), where},
          {"ras", &DramTiming::ras, clocks(1), where},
          {"rc", &DramTiming::rc, clocks(1), where},
          {"wr", &DramTiming::wr, clocks(0), where},
          {"rtp", &DramTiming::rtp, clocks(1), where},
          {"ccd_s", &DramTiming::ccd_s, clocks(1), where},
          {"ccd_l", &DramTiming::ccd_l, clocks(1), where},
          {"rrd_s", &DramTiming::rrd_s, clocks(1), where},
          {"rrd_l", &DramTiming::rrd_l, clocks(1), where},
          {"faw", &DramTiming::faw, clocks(1), where},
          {"wtr_s", &DramTiming::wtr_s, clocks(0), where},
          {"wtr_l", &DramTiming::wtr_l, clocks(0), where},
          {"read_to_write_gap", &DramTiming::read_to_write_gap, clocks(0), where},
          {"rfc_all", &DramTiming::rfc_all, cycles(1, longest_refresh_interval), where},
          {"rfc_bank", &DramTiming::rfc_bank, cycles(1, longest_refresh_interval), where},
          {"rrefd", &DramTiming::rrefd, clocks(1), where},
          {"refi", &DramTiming::refi,
           cycles(1, longest_refresh_interval,
                  "JEDEC lets no bank go without a refresh for more than nine intervals of 3.9 us, some 32000 clocks"),
           where},
          {"activate_clocks", &DramTiming::activate_clocks, clocks(1), where},
      });
  return keys;
}

const base::parameters::Section<DramParameters>& DramParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  using Dram = DramParameters;
  static const base::parameters::KeyLevels where{ops, collectives, packets, banks, chip, kernels};
  const auto organization = [](auto member) {
    return [member](Dram & dram) -> auto& { return dram.organization.*member; };
  };
  const auto address = [](auto member) {
    return [member](Dram & dram) -> auto& { return dram.address.*member; };
  };
  const auto policy = [](auto member) {
    return [member](Dram & dram) -> auto& { return dram.policy.*member; };
  };
  static const base::parameters::Section<Dram> keys(
      "hbm",
      {
          {"clock", &Dram::clock, ClockRate{}, where},
          {"channels", organization(&DramOrganization::channels), PowerOfTwo{1024}, where},
          {"pseudo_channels", organization(&DramOrganization::pseudo_channels), PowerOfTwo{8}, where},
          {"bank_groups", organization(&DramOrganization::bank_groups), PowerOfTwo{16}, where},
          {"banks_per_group", organization(&DramOrganization::banks_per_group), BanksOfGroup{}, where},
          {"burst", organization(&DramOrganization::burst), SizePowerOfTwo{base::Bytes(4), base::Bytes(4096)}, where},
          {"burst_clocks", organization(&DramOrganization::burst_clocks), clocks(1), where},
          {"row", organization(&DramOrganization::row), WholeBursts{}, where},
          {"interleave", address(&AddressOrder::interleave), WholeBursts{}, where},
          {"address_order", address(&AddressOrder::fields), FieldOrder{}, where},
          {"bank_hash", address(&AddressOrder::bank_hash), Flag{}, where},
          {"channel_hash", address(&AddressOrder::channel_hash), Flag{}, where},
          {"read_queue_bursts", policy(&ControllerPolicy::read_queue), positive(max_queued), where},
          {"write_queue_bursts", policy(&ControllerPolicy::write_queue), positive(max_queued), where},
          {"drain_high_bursts", policy(&ControllerPolicy::drain_high), positive(max_queued), where},
          {"drain_low_bursts", policy(&ControllerPolicy::drain_low), whole(0, max_queued), where},
          {"starvation_bound_bursts", policy(&ControllerPolicy::starvation_bound), positive(), where},
          {"page_policy", policy(&ControllerPolicy::page),
           Choice<PagePolicy>{{{"open", PagePolicy::open}, {"closed", PagePolicy::closed}}}, where},
          {"refresh", policy(&ControllerPolicy::refresh),
           Choice<RefreshPolicy>{{{"none", RefreshPolicy::none},
                                  {"per_bank", RefreshPolicy::per_bank},
                                  {"all_bank", RefreshPolicy::all_bank}}},
           where},
      });
  if (scheduler_names().size() == 1) return keys;
  static const base::parameters::Section<Dram> with_scheduler = [&] {
    std::vector<base::parameters::Parameter<Dram>> all = keys.parameters();
    for (base::parameters::Parameter<Dram>& parameter : all) parameter.key.erase(0, std::string("hbm.").size());
    all.emplace_back("scheduler", policy(&ControllerPolicy::scheduler), SchedulerName{}, where);
    return base::parameters::Section<Dram>("hbm", std::move(all));
  }();
  return with_scheduler;
}

base::Bytes DramParameters::capacity() const {
  const DramOrganization& parts = organization;
  return parts.row * (parts.rows * parts.banks() * parts.pseudo_channels * parts.channels);
}

base::Bandwidth DramParameters::pin_rate() const {
  const std::int64_t pins = organization.channels * organization.pseudo_channels;
  return organization.burst / (organization.burst_clocks / clock) * double(pins);
}

void complete(const base::Config& config, DramParameters& dram) {
  relate(config, dram);
  DramOrganization& parts = dram.organization;
  const std::int64_t banks = parts.channels * parts.pseudo_channels * parts.banks();
  const base::Bytes capacity = HbmCapacity{}({config, std::nullopt}, "hbm.capacity_per_core");
  parts.rows = base::divide_round_up(capacity.value(), banks * parts.row.value());
  if (const auto map = custom_map(dram.address.fields)) {
    const std::string fault = fault_of(*map, dram);
    if (!fault.empty()) config.reject("hbm.address_order", fmt::format("the map '{}': {}", map->name(), fault));
  }
}

DramParameters read_dram_parameters(const base::Config& config) {
  const base::parameters::Reading reading{config, std::nullopt};
  DramParameters dram = DramParameters::section().read(reading);
  DramTiming::section().read(reading, dram.timing);
  complete(config, dram);
  return dram;
}

}  // namespace podsim::hw::parts::hbm
