// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

/// Times of a collective by formula: to choose an algorithm, and to compare with the simulated time.
namespace podsim::sw::collectives::schedule {

/// The lengths of messages on a machine. `link` is the amount that a link carries during the latency to a neighbour;
/// the other two are assumptions of the machine file ([compiler]).
SegmentLengths segment_lengths(const TargetMachine& machine, hlo::ElementType type);

/// The modelled time of a schedule on an idle slice:
///
///   launch + sum over the phases of Pattern::modelled_time
///
/// which is about steps * (longest message / b + L) + (bytes of the busiest link beyond these messages) / b, with the
/// link's payload rate b (groups that have one core each of the same chips get equal parts of it) and L from a
/// message's last byte to the next message that depends on it; see the headers of patterns/. Phases of the same number
/// of different orders run at the same time, except those along the same dimension; the longest counts. The phases of a
/// broadcast all run at the same time.
///
/// Direct sends of an all-to-all have one phase, whose busiest link has the blocks of all interleaved groups.
///
/// A collective-permute takes launch + (bytes of the busiest link) / b + L + the latency of every further hop of the
/// longest route.
base::Duration modelled_time(const TargetMachine& machine, const CollectiveSchedule& schedule);

/// The modelled time of an all-to-all by direct sends over packets, which wait for each other at every turn where
/// messages do not: links have 0.6 of their rate. That is between what is simulated over packets when all buffers are
/// full, 0.73 (4x4, 1 MiB) and 0.50 (8x8, 4 MiB).
base::Duration modelled_time_over_packets(const TargetMachine& machine, const CollectiveSchedule& schedule);

/// Textbook time of one-direction rings of whole chunks, over the dimensions of a group in the order of visit:
///
///   all-reduce of S per chip        2 (X-1)(S/(X b) + L) + 2 (Y-1)(S/(X Y b) + L) + ...
///   reduce-scatter, all-gather      half of that
///   all-to-all, c ranks per chip    (X-1)(c S/(2 b) + L) + ...: each block goes halfway around a ring on average
///   others                          S/b + L
///
/// where L is the latency to a neighbour (noc::ici::IciParameters::neighbour_latency) alone.
base::Duration closed_form(const TargetMachine& machine, const CollectiveSchedule& schedule);

/// A bound that no schedule beats: the bytes that a chip must send or receive, over the rate of all its links together.
/// For an all-reduce these are 2 S (N-1)/N bytes, with N chips in a group.
base::Duration lower_bound(const TargetMachine& machine, const CollectiveSchedule& schedule);

}  // namespace podsim::sw::collectives::schedule
