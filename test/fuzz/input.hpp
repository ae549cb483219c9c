#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "collsched/core/argument_error.hpp"
#include "collsched/format/input_error.hpp"
#include "collsched/format/files/text_file.hpp"

namespace fuzz {

/// Small numbers made of the bytes of an input, and zeros after its end.
class source {
  public:
    explicit source(std::span<const std::uint8_t> bytes) : left_(bytes) {}

    bool empty() const { return left_.empty(); }
    /// 0 .. kinds-1, kinds <= 256.
    std::int64_t below(std::int64_t kinds) {
        if (left_.empty()) return 0;
        const std::uint8_t byte = left_[0];
        left_ = left_.subspan(1);
        return byte % kinds;
    }
    bool flag() { return below(2) == 1; }

  private:
    std::span<const std::uint8_t> left_;
};

inline collsched::text_file text_of(std::span<const std::uint8_t> bytes) {
    return {"input", std::string(bytes.begin(), bytes.end())};
}

/// Calls read(), which may accept or reject the input.
template <class Read>
void try_to(Read read) {
    try {
        read();
    } catch (const collsched::input_error&) {
    } catch (const collsched::bad_argument&) {}
}

/// Ends the program, so that the fuzzer reports the input.
inline void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", what.c_str());
    std::abort();
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
