#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collsched/schedule/contract.hpp"

namespace simulated {

/// Memory of one rank. `folded` memory is mapped onto a few pages that all ranks share, so that hundreds of ranks with
/// long messages fit in one node; then bytes do not survive, and there is nothing to check.
class memory {
  public:
    memory(collsched::bytes_t size, bool folded) {
        const auto bytes = static_cast<std::size_t>(size);
        if (folded && bytes > 0) folded_.reset(static_cast<std::byte*>(SMPI_SHARED_MALLOC(bytes)));
        else own_.assign(bytes, std::byte{0xff});
    }

    std::byte* data() { return folded_ ? folded_.get() : own_.data(); }

  private:
    struct release {
        void operator()(std::byte* p) const { smpi_shared_free(p); }
    };
    std::vector<std::byte> own_;
    std::unique_ptr<std::byte, release> folded_;
};

/// Bytes of all buffers of a rank together, beyond which they are folded.
inline constexpr collsched::bytes_t most_real_bytes = 8 << 20;

/// Input and output of one rank for a collective, in words of 4 bytes that differ from rank to rank.
class rank_buffers {
  public:
    rank_buffers(const collsched::contract& contract, collsched::rank_t rank, bool folded)
        : contract_(contract),
          rank_(rank),
          folded_(folded),
          input_(contract.input_bytes(rank), folded),
          output_(contract.output_bytes(rank), folded) {}

    /// Other bytes for every run, so that what an earlier one left behind is not taken for its own.
    void fill(std::uint32_t run) {
        run_ = run;
        if (folded_) return;
        const std::uint32_t in = words_of(contract_.input_bytes(rank_)), out = words_of(contract_.output_bytes(rank_));
        for (std::uint32_t i = 0; i < in; ++i) words(input_)[i] = word(rank_, i);
        for (std::uint32_t i = 0; i < out; ++i) words(output_)[i] = ~std::uint32_t{0};
    }

    std::byte* input() { return input_.data(); }
    std::byte* output() { return output_.data(); }
    bool folded() const { return folded_; }

    /// How many words of the output are not as the collective promises; 0 where they are folded.
    std::int64_t wrong_words() {
        if (folded_) return 0;
        const std::uint32_t all = words_of(contract_.output_bytes(rank_));
        const std::uint32_t* found = words(output_);
        std::int64_t wrong = 0;
        for (std::uint32_t i = 0; i < all; ++i) wrong += found[i] != promised(i, all);
        return wrong;
    }

  private:
    static std::uint32_t* words(memory& m) { return reinterpret_cast<std::uint32_t*>(m.data()); }
    static std::uint32_t words_of(collsched::bytes_t bytes) { return static_cast<std::uint32_t>(bytes / 4); }

    static constexpr std::uint32_t of_rank = 0x9e3779b1, of_place = 0x85ebca6b;
    std::uint32_t word(collsched::rank_t rank, std::uint32_t i) const {
        return (static_cast<std::uint32_t>(rank) + 1) * of_rank + i * of_place + run_;
    }

    std::uint32_t promised(std::uint32_t i, std::uint32_t all) const {
        const auto p = static_cast<std::uint32_t>(contract_.ranks), mine = static_cast<std::uint32_t>(rank_);
        const std::uint32_t block = all / p;
        using enum collsched::collective;
        switch (contract_.collective) {
            case gather:
            case allgather: return word(i / block, i % block);
            case scatter: return word(contract_.root, mine * all + i);
            case alltoall: return word(i / block, mine * block + i % block);
            case allreduce:
            case reduce: return sum(i);
            case reduce_scatter: return sum(mine * all + i);
            default: return word(contract_.root, i);
        }
    }

    /// Returns the sum of word i of all ranks.
    std::uint32_t sum(std::uint32_t i) const {
        const auto p = static_cast<std::uint32_t>(contract_.ranks);
        return p * (p + 1) / 2 * of_rank + p * (i * of_place + run_);
    }

    collsched::contract contract_;
    collsched::rank_t rank_;
    bool folded_;
    std::uint32_t run_ = 0;
    memory input_, output_;
};

}  // namespace simulated
