// SPDX-License-Identifier: Apache-2.0
#include "base/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/sha256.h"

namespace podsim::base {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

/// The build id among the notes of a segment: headers, each before a name and a description.
std::string find_build_id(std::string_view notes) {
  ElfW(Nhdr) header;
  while (notes.size() >= sizeof(header)) {
    std::memcpy(&header, notes.data(), sizeof(header));
    const std::size_t description = sizeof(header) + aligned(header.n_namesz);
    const std::size_t end = description + aligned(header.n_descsz);
    if (end > notes.size()) return "";
    if (header.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof(header), 4) == std::string_view("GNU\0", 4)) {
      std::string digits;
      for (const char byte : notes.substr(description, header.n_descsz)) {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      }
      return digits;
    }
    notes.remove_prefix(end);
  }
  return "";
}

/// Called by dl_iterate_phdr() for every object of the process, the program first.
int look_at_program(dl_phdr_info* object, std::size_t, void* result) {
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* begin = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    std::string id = find_build_id({begin, segment.p_memsz});
    if (!id.empty()) *static_cast<std::string*>(result) = std::move(id);
  }
  return 1;  // nonzero ends the iteration
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(look_at_program, &id);
  if (!id.empty()) return id;
  std::ifstream program("/proc/self/exe", std::ios::binary);
  return sha256(std::string(std::istreambuf_iterator<char>(program), {}));
}

}  // namespace podsim::base
