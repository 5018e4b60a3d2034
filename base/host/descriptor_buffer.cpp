// SPDX-License-Identifier: Apache-2.0
#include "base/host/descriptor_buffer.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace podsim::base::host {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

}  // namespace

DescriptorBuffer::DescriptorBuffer(std::function<int()> open)
    : open_(std::move(open)), buffer_(std::make_unique<char[]>(buffer_bytes)) {
  setp(buffer_.get(), buffer_.get() + buffer_bytes);
}

bool DescriptorBuffer::write_all(const char* text, std::size_t count) {
  const int descriptor = open_();
  if (descriptor < 0) error_ = errno;
  while (error_ == 0 && count > 0) {
    const ssize_t written = write(descriptor, text, count);
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    text += written;
    count -= std::size_t(written);
  }
  return error_ == 0;
}

int DescriptorBuffer::sync() {
  const bool done = write_all(pbase(), std::size_t(pptr() - pbase()));
  setp(buffer_.get(), buffer_.get() + buffer_bytes);
  return done ? 0 : -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize count) {
  if (count < epptr() - pptr()) return std::streambuf::xsputn(text, count);
  return sync() == 0 && write_all(text, std::size_t(count)) ? count : 0;
}

}  // namespace podsim::base::host
