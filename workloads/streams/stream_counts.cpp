// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/stream_counts.h"

#include <algorithm>

namespace podsim::workloads::streams {
namespace {

class TableCounter {
 public:
  TableCounter(std::int64_t rows, std::int64_t batch) : batch_(batch), rows_(std::size_t(rows)) {}

  void look_up(std::uint32_t index) {
    Row& row = rows_[index];
    ++row.lookups;
    repeated_ += row.batch == number_;
    row.batch = number_;
    if (++in_batch_ < batch_) return;
    duplicates_ += repeated_;
    repeated_ = in_batch_ = 0;
    ++number_;
  }

  TableCounts counts() const {
    TableCounts counts;
    for (const Row& row : rows_) counts.lookups.push_back(double(row.lookups));
    counts.batch = batch_;
    counts.batches = number_ - 1;
    counts.duplicates = double(duplicates_);
    return counts;
  }

 private:
  struct Row {
    std::uint32_t lookups = 0, batch = 0;  ///< number of the last batch that looked it up, from 1
  };

  std::int64_t batch_, in_batch_ = 0, repeated_ = 0, duplicates_ = 0;
  std::uint32_t number_ = 1;
  std::vector<Row> rows_;
};

}  // namespace

StreamCounts seed_counts(const InteractionSeed& seed, std::int64_t user_batch, std::int64_t item_batch) {
  TableCounter users(seed.users, user_batch), items(seed.items, item_batch);
  for (const Interaction& interaction : seed.interactions) {
    users.look_up(interaction.user);
    items.look_up(interaction.item);
  }
  return {users.counts(), items.counts(), std::int64_t(seed.interactions.size())};
}

StreamCounts stream_counts(const FractalExpansion& expansion, InteractionStream& stream, std::int64_t interactions,
                           std::int64_t batch, const std::function<void(std::int64_t)>& progress) {
  constexpr std::int64_t block_size = 1 << 14;
  TableCounter users(expansion.users(), batch), items(expansion.items(), batch);
  std::vector<Interaction> block(std::size_t(std::min(block_size, interactions)));
  for (std::int64_t done = 0; done < interactions;) {
    const std::span<Interaction> part =
        std::span(block).first(std::size_t(std::min<std::int64_t>(std::int64_t(block.size()), interactions - done)));
    stream.next(part);
    for (const Interaction& interaction : part) {
      users.look_up(interaction.user);
      items.look_up(interaction.item);
    }
    done += std::int64_t(part.size());
    if (progress) progress(done);
  }
  return {users.counts(), items.counts(), interactions};
}

}  // namespace podsim::workloads::streams
