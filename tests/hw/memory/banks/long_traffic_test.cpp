// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <random>
#include <vector>

#include "base/systemc/systemc_time.h"
#include "hw/memory/banks/bank_hbm.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

// A sanitized or unoptimised program is ten times slower.
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr std::int64_t max_requests = 400'000;
#else
constexpr std::int64_t max_requests = 10'000'000;
#endif

constexpr std::int64_t burst_words = 8;
constexpr std::uint64_t memory_bursts = 1 << 17, hot_bursts = 1 << 11;

/// Reads and writes whole words of random bursts, half of them of a few rows, and pauses at random. It uses the bursts
/// whose number has its parity, and keeps a copy of their contents.
class RandomSender : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(RandomSender);
  RandomSender(const sc_core::sc_module_name& name, std::uint64_t parity, std::int64_t count)
      : sc_module(name),
        left(count),
        random_(unsigned(parity) + 1),
        parity_(parity),
        shadow_(memory_bursts * burst_words / 2) {
    socket.register_nb_transport_bw(this, &RandomSender::answer);
    for (std::uint64_t slot = 0; slot < slots_.size(); ++slot) free_.push_back(slot);
    SC_METHOD(work);
    sensitive << wake_;
  }

  tlm_utils::simple_initiator_socket<RandomSender> socket{"socket"};
  std::int64_t left;
  std::int64_t answered = 0, unexpected = 0, wrong = 0;
  base::Time longest;  ///< from END_REQ to the last data

 private:
  using Words = std::array<std::uint32_t, burst_words>;
  struct Slot {
    Words words, expected;
    std::size_t count = 0;
    bool read = false, waiting = false;
    base::Time accepted;
  };

  void work() {
    while (left > 0 && !blocked_ && !free_.empty()) {
      if ((random_() & 15) == 0) {
        wake_.notify(sc_core::sc_time(double(random_() % 100), sc_core::SC_NS));
        return;
      }
      send();
    }
  }

  void send() {
    const std::uint64_t bits = random_();
    const std::uint64_t own = (bits >> 8) % (((bits & 1) != 0 ? hot_bursts : memory_bursts) / 2);
    const std::size_t first = bits >> 40 & 7, count = 1 + (bits >> 44 & 7) % (burst_words - first);
    Slot& slot = slots_[free_.back()];
    slot.count = count;
    slot.read = (bits >> 50 & 3) != 0;
    const auto shadow = shadow_.begin() + std::ptrdiff_t(own * burst_words + first);
    for (std::size_t i = 0; i < count; ++i) {
      if (!slot.read) shadow[std::ptrdiff_t(i)] = std::uint32_t(bits + i);
      slot.expected[i] = shadow[std::ptrdiff_t(i)];
      slot.words[i] = slot.read ? ~slot.expected[i] : slot.expected[i];
    }
    const dram::MemoryRequest request{slot.read ? Direction::read : Direction::write,
                                      ((2 * own + parity_) * burst_words + first) * 4,
                                      base::Bytes(std::int64_t(count) * 4), free_.back()};
    free_.pop_back();
    begin(slot, pool_.make(request, slot.words.data()));
  }

  void begin(Slot& slot, tlm::tlm_generic_payload& payload) {
    --left;
    slot.waiting = true;
    slot.accepted = base::systemc::now();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    blocked_ = socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED;
  }

  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    const std::uint64_t number = memory_extension(payload).tag;
    Slot& slot = slots_[number];
    if (free_.empty() || phase == tlm::END_REQ) wake_.notify(sc_core::SC_ZERO_TIME);
    if (phase == tlm::END_REQ) {
      slot.accepted = base::systemc::now();
      blocked_ = false;
      return tlm::TLM_ACCEPTED;
    }
    ++answered;
    if (!slot.waiting) ++unexpected;
    if (!std::equal(slot.words.begin(), slot.words.begin() + std::ptrdiff_t(slot.count), slot.expected.begin()))
      ++wrong;
    longest = std::max(longest, base::systemc::now() - slot.accepted);
    slot.waiting = false;
    free_.push_back(number);
    payload.release();
    return tlm::TLM_COMPLETED;
  }

  std::mt19937_64 random_;
  std::uint64_t parity_;
  std::vector<std::uint32_t> shadow_;
  std::array<Slot, 512> slots_;
  std::vector<std::uint64_t> free_;
  MemoryPayloadPool pool_;
  bool blocked_ = false;
  sc_core::sc_event wake_;
};

// The effect of a lost, doubled, starved or misplaced request shows at the end.
TEST(LongTraffic, TenMillionRequestsOfTwoSendersAreAnsweredOnceAndSoonAndReadWhatWasWritten) {
  const Machine machine = tpu_v3();
  DeviceMemory contents(machine.hbm.capacity_per_core);
  BankHbm hbm("hbm", machine, &contents, Trace{});
  RandomSender even("even", 0, max_requests / 2), odd("odd", 1, max_requests / 2);
  for (RandomSender* sender : {&even, &odd}) sender->socket.bind(hbm.from_masters);
  sc_core::sc_start();
  for (const RandomSender* sender : {&even, &odd}) {
    EXPECT_EQ(sender->left, 0);
    EXPECT_EQ(sender->answered, max_requests / 2);
    EXPECT_EQ(sender->unexpected, 0);
    EXPECT_EQ(sender->wrong, 0);
    // A burst is overtaken by at most 256, each of which opens a row: at most a bank's cycle of 44 clocks.
    EXPECT_LT(sender->longest, base::Clock(machine.dram.clock).time_of(base::Cycles(256 * 44)));
  }
}

}  // namespace
}  // namespace podsim::hw::memory::banks
