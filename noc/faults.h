// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "noc/chip_speed.h"
#include "noc/distribution.h"
#include "noc/host_boxes.h"
#include "noc/topology.h"

/// Faults of a slice. The same list applies at every level of detail.
///
///   dead-link:(0,0)x+          the link that leaves chip (0,0) towards x+ carries nothing; without a sign, both links
///                              that leave it along x
///   slow-link:(1,0)y-:0.5      half the link's rate; at least a thousandth, as for a chip
///   dead-chip:(2,2)            the chip and all its links
///   slow-chip:(2,2):0.8        everything on the chip takes 1 / 0.8 of its time
///   slow-clock:(2,2):0.8       all but its HBM does
///   slow-hbm:(2,2):0.8         its HBM has 0.8 of its rate
///   slow-host:3:0.5            everything on that host takes 1 / 0.5 of its time; host_boxes.h numbers hosts
///   bit-errors:1e-12           probability of a bit error at the end of a link, on every link, or on one link if named
///                              before the value: `:(0,0)x+`. The link sends a packet with an error again
///   stalls:0.2                 probability that a link stalls for a cycle of the routers' clock each time it has sent
///                              a flit; on every link, or on one as above
///   jitter:5us                 delay before each chip begins, uniform from zero to this; at most one second
///   jitter:exponential:5us     likewise, by another distribution (distribution.h)
///   host-jitter:exponential:5us  likewise, the same for all chips of a host
///   speeds:normal:0.01         every chip takes a random part longer for everything, here by the absolute value of a
///                              normal variable with a standard deviation of 1 %
///
/// A dead link is dead only in the direction that is named. A broken cable is two dead links, one at each end. Where
/// two faults of one kind are at one link or chip, the later holds; slow-chip, slow-clock, slow-hbm and speeds
/// multiply.
namespace podsim::noc {

struct Fault {
  enum class Kind {
    dead_link,
    slow_link,
    dead_chip,
    slow_chip,
    slow_clock,
    slow_hbm,
    slow_host,
    bit_errors,
    stalls,
    jitter,
    host_jitter,
    speeds
  };
  Kind kind = Kind::dead_link;
  std::vector<std::int32_t> chip;  ///< coordinates; empty for every link
  int dimension = 0;               ///< dimension of a link
  int direction = 0;               ///< direction of a link: +1, -1, or 0 for both
  /// slow: fraction of the healthy rate; bit_errors, stalls: probability; jitter, host_jitter: seconds; speeds: part
  double value = 0;
  Distribution distribution = Distribution::uniform;  ///< of jitter, host_jitter, speeds
  std::int64_t host = 0;                              ///< of slow_host
  bool operator==(const Fault&) const = default;
};

/// Parses one fault. InputError without a location if the text is not a fault.
Fault parse_fault(std::string_view text);
std::string to_string(const Fault& fault);
/// Whether a fault slows or delays what chips do, and leaves the network as it is.
bool of_chips(Fault::Kind kind);

/// What the faults of a slice depend on.
struct FaultContext {
  std::int64_t host_chips = 4;  ///< chips of a host
  std::uint64_t seed = 1;       ///< of what is random
};

/// The faults of a slice, resolved to the state of every link and chip.
class Faults {
 public:
  /// A healthy slice of any size.
  Faults() = default;
  /// InputError without a location for a fault that names a chip, link or host that the topology does not have.
  Faults(const Topology& topology, std::span<const Fault> faults, const FaultContext& context = {});

  bool none() const { return !any_; }
  /// Returns whether any link is dead, by itself or with a chip.
  bool any_dead() const { return any_dead_; }
  bool dead(LinkId link) const { return any_ && links_[link].dead; }
  double link_speed(LinkId link) const { return any_ ? links_[link].speed : 1; }  ///< fraction of the healthy rate
  double bit_error_rate(LinkId link) const { return any_ ? links_[link].bit_error_rate : 0; }
  double stall_rate(LinkId link) const { return any_ ? links_[link].stall_rate : 0; }  ///< probability per cycle
  bool dead_chip(NodeId chip) const { return any_ && chips_[chip].dead; }
  ChipSpeed chip_speed(NodeId chip) const { return any_ ? chips_[chip].speed : ChipSpeed{}; }
  double host_speed(std::int64_t host) const { return any_ ? host_speeds_[std::size_t(host)] : 1; }
  /// The chips that are dead, in the order of their numbers.
  std::vector<NodeId> dead_chips() const;
  /// Whether chips begin late.
  bool any_jitter() const { return jitter_.scale > base::Time(0) || host_jitter_.scale > base::Time(0); }
  /// By how much later a chip begins for the `turn`th time; below 0.01 % of the draws of an exponential or normal
  /// distribution are larger than ten scales.
  base::Time delay(NodeId chip, std::int64_t turn) const;

 private:
  struct LinkState {
    bool dead = false;
    double speed = 1;
    double bit_error_rate = 0;
    double stall_rate = 0;
  };
  struct ChipState {
    bool dead = false;
    ChipSpeed own = {};    ///< of slow-clock and slow-hbm
    double slow_chip = 1;  ///< of slow-chip
    double drawn = 1;      ///< of speeds
    ChipSpeed speed = {};  ///< all of them together
  };
  struct Jitter {
    Distribution distribution = Distribution::uniform;
    base::Time scale;
  };
  void draw_speeds(const Fault& fault);
  void apply(const Topology& topology, const Fault& fault);
  void kill_chip(const Topology& topology, NodeId chip);
  /// Links that a fault names.
  static std::vector<LinkId> links_of(const Topology& topology, const Fault& fault);
  static NodeId chip_of(const Topology& topology, const Fault& fault);

  bool any_ = false, any_dead_ = false;
  std::vector<LinkState> links_;
  std::vector<ChipState> chips_;
  std::optional<HostBoxes> hosts_;
  std::vector<double> host_speeds_;
  FaultContext context_;
  Jitter jitter_, host_jitter_;
};

}  // namespace podsim::noc
