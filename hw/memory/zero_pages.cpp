// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/zero_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace podsim::hw::memory {

MappedPages::MappedPages(std::size_t bytes)
    : bytes_(std::max<std::size_t>(bytes, 1)),  // mmap rejects a length of 0
      data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

MappedPages::~MappedPages() { munmap(data_, bytes_); }

}  // namespace podsim::hw::memory
