#pragma once

#include "collsched/execute/engine.hpp"
#include "datatype.hpp"
#include "memory.hpp"
#include "native_mpi.hpp"

namespace collsched::preload {

/// A reduction by an operator of MPI or of the program, over packed elements. Elements whose packed form differs from
/// their form in memory are unpacked for the operator and packed again. Ranks may thus use different layouts of the
/// same elements.
class combiner {
  public:
    void set(MPI_Op op, const datatype& type, bool commutative, workspace& space) {
        op_ = op;
        type_ = type;
        short_sum_ = short_sum(op, type.handle);
        commutative_ = commutative;
        symmetric_ = symmetric(op, type);
        space_ = &space;
        error_ = MPI_SUCCESS;
    }
    /// Resets the error before another start.
    void restart() { error_ = MPI_SUCCESS; }
    /// Returns the reduction for an execution; it refers to this object.
    reduction as_reduction() { return {call, this, commutative_, nullptr, type_.size}; }
    /// Returns the first MPI error, or MPI_SUCCESS.
    int error() const { return error_; }

  private:
    /// inout := in + inout for `count` elements.
    using sum = void (*)(const std::byte* in, std::byte* inout, std::int64_t count);
    /// Returns the sum for a few types; null: MPI's own function is used.
    static sum short_sum(MPI_Op op, MPI_Datatype type);

    static void call(void* self, std::byte* into, const std::byte* incoming, bytes_t size, action what) {
        auto& mine = *static_cast<combiner*>(self);
        const std::int64_t count = size == mine.type_.size ? 1 : size / mine.type_.size;  // division is slow
        if (!mine.type_.dense) mine.spread(into, incoming, count, what);
        else if (what == action::combine_before || mine.symmetric_) mine.apply(incoming, into, count);
        else mine.aside(into, incoming, count);
    }

    /// inout := in op inout, as MPI defines it.
    void apply(const void* in, void* inout, std::int64_t count);
    /// into := into op incoming. MPI writes the result to `incoming`, which must not change, so it is copied first.
    void aside(std::byte* into, const std::byte* incoming, std::int64_t count);
    /// Combines elements that are not dense.
    void spread(std::byte* into, const std::byte* incoming, std::int64_t count, action what);
    std::int64_t elements_at_once(bytes_t bytes_of_one) const;
    void note(int error) {
        if (error_ == MPI_SUCCESS) error_ = error;
    }

    MPI_Op op_ = MPI_OP_NULL;
    datatype type_;
    sum short_sum_ = nullptr;
    bool commutative_ = false, symmetric_ = false;
    workspace* space_ = nullptr;
    int error_ = MPI_SUCCESS;
};

}  // namespace collsched::preload
