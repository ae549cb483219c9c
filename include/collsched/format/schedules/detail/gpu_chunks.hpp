#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A schedule in the units of GPU libraries: chunks of the largest size that divides all sizes and offsets, and buffers
/// of one size on all ranks. These libraries have no scatter, gather, scan, barrier, neighborhood collective or blocks
/// of different sizes. check() reports such contracts. Edges without bytes, and edges that an in-place binding makes
/// redundant, are omitted.
class gpu_chunks {
  public:
    gpu_chunks() = default;
    template <schedulable X>
    explicit gpu_chunks(const X& x, binding binding = binding::separate) {
        const auto& s = lower(x);
        if (error_ = refuse_if(s.check()); error_) return;
        contract_ = s.contract();
        if (error_ = refuse_if(inexpressible()); error_) return;
        programs_.resize(static_cast<std::size_t>(s.ranks));
        for (rank_t r = 0; r < s.ranks; ++r) {
            for (const edge& e : collsched::program(s, r)) {
                if (vanishes(contract_.alias(r, binding), e) || e.size == 0) continue;
                programs_[static_cast<std::size_t>(r)].push_back(e);
                for (const bytes_t bytes : {e.size, e.from_offset, e.into_offset}) chunk_ = std::gcd(chunk_, bytes);
            }
            chunk_ = std::gcd(chunk_, std::gcd(contract_.input_bytes(r), contract_.output_bytes(r)));
        }
        if (chunk_ == 0) error_ = refuse_if({"bytes", 0, "1 byte or more"});
    }

    argument_error check() const { return error_; }
    const collsched::contract& contract() const { return contract_; }
    /// Returns the edges of a rank in program order.
    const std::vector<edge>& program(rank_t r) const { return programs_[static_cast<std::size_t>(r)]; }
    /// Returns the size of a chunk in bytes.
    bytes_t bytes() const { return chunk_; }
    /// Returns the number of chunks in the input of every rank.
    std::int64_t input() const {
        if (contract_.collective == collective::allgather) return block() / chunk_;
        return payload() / chunk_;
    }
    std::int64_t output() const {
        if (contract_.collective == collective::reduce_scatter) return block() / chunk_;
        return payload() / chunk_;
    }
    std::int64_t of(bytes_t size) const { return size / chunk_ + (size % chunk_ > 0 ? 1 : 0); }

  private:
    bytes_t block() const {
        return contract_.collective == collective::alltoall ? contract_.matrix().count(0, 0)
                                                            : contract_.layout().count(0);
    }
    bytes_t payload() const { return has_blocks(contract_.collective) ? contract_.ranks * block() : contract_.bytes; }

    argument_error inexpressible() const {
        switch (contract_.collective) {
            case collective::broadcast:
            case collective::reduce:
            case collective::allreduce: return {};
            case collective::allgather:
            case collective::reduce_scatter:
                for (rank_t r = 0; r < contract_.ranks; ++r)
                    if (contract_.layout().count(r) != block() || contract_.layout().displ(r) != r * block())
                        return {"counts", contract_.layout().count(r), "equal blocks, in rank order", r};
                return {};
            case collective::alltoall:
                if (!contract_.matrix().uniform()) return {"matrix", contract_.ranks, "equal blocks, in rank order"};
                return {};
            default:
                return {"collective", static_cast<std::int64_t>(contract_.collective),
                        "broadcast, reduce, allgather, allreduce, reduce_scatter, alltoall"};
        }
    }

    argument_error error_;
    collsched::contract contract_;
    bytes_t chunk_ = 0;
    std::vector<std::vector<edge>> programs_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
