#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "collsched/execute/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Copies bytes, most often 8.
inline void copy_few(std::byte* into, const std::byte* from, bytes_t size) {
    if (size == 8) std::memcpy(into, from, 8);
    else if (size > 0) std::memcpy(into, from, static_cast<std::size_t>(size));
}

/// Walks along the bytes of a message, part after part. Part is part or send_part.
template <class Part>
class part_walk {
  public:
    part_walk() = default;
    explicit part_walk(std::span<const Part> parts) : at_(parts) {}

    bool done() const { return at_.done(); }

    /// Names the next bytes, `most` at most, in entries {address, size} of a list, as many as it has room for; the bytes named.
    template <class Entry>
    bytes_t name(bytes_t most, std::span<Entry> list, std::size_t& used) {
        bytes_t named = 0;
        for (used = 0; used < list.size() && !done() && named < most; ++used) {
            const bytes_t size = next(most - named);
            list[used] = {const_cast<std::byte*>(here()), static_cast<std::size_t>(size)};
            named += size;
            at_.skip(size);
        }
        return named;
    }
    /// Copies the next `size` bytes to `into`.
    void copy_to(std::byte* into, bytes_t size) {
        walk(size, [&](bytes_t n) { std::memcpy(into, here(), static_cast<std::size_t>(n)), into += n; });
    }
    /// Fills the next `size` bytes from `from`.
    void copy_from(const std::byte* from, bytes_t size) {
        walk(size, [&](bytes_t n) { std::memcpy(here(), from, static_cast<std::size_t>(n)), from += n; });
    }

  private:
    auto* here() const { return at_.here().data; }
    bytes_t next(bytes_t most) const { return std::min(most, at_.here().size); }
    template <class F>
    void walk(bytes_t size, F f) {
        while (size > 0 && !done()) {
            const bytes_t n = next(size);
            f(n);
            at_.skip(n);
            size -= n;
        }
    }

    part_cursor<Part> at_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
