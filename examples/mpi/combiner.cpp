#include "combiner.hpp"

#include <algorithm>
#include <cstring>

namespace collsched::preload {

namespace {
constexpr std::int64_t most_elements = 1 << 30;  // MPI counts with an int
constexpr bytes_t near_cache = 32 * 1024;        // copies of operands remain in the first-level cache
constexpr std::int64_t few_elements = 16;        // more elements take longer to add than a call of MPI_Reduce_local

template <class T>
void add(const std::byte* in, std::byte* inout, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        T a, b;
        std::memcpy(&a, in + i * static_cast<std::int64_t>(sizeof a), sizeof a);
        std::memcpy(&b, inout + i * static_cast<std::int64_t>(sizeof b), sizeof b);
        b = a + b;
        std::memcpy(inout + i * static_cast<std::int64_t>(sizeof b), &b, sizeof b);
    }
}
}  // namespace

combiner::sum combiner::short_sum(MPI_Op op, MPI_Datatype type) {
    if (op != MPI_SUM) return nullptr;
    if (type == MPI_DOUBLE) return add<double>;
    if (type == MPI_FLOAT) return add<float>;
    if (type == MPI_INT || type == MPI_UNSIGNED) return add<unsigned>;  // same bits for both in two's complement
    if (type == MPI_LONG || type == MPI_UNSIGNED_LONG) return add<unsigned long>;
    return nullptr;
}

std::int64_t combiner::elements_at_once(bytes_t bytes_of_one) const {
    return std::max<std::int64_t>(1, near_cache / std::max<bytes_t>(1, bytes_of_one));
}

void combiner::apply(const void* in, void* inout, std::int64_t count) {
    const auto* from = static_cast<const std::byte*>(in);
    auto* into = static_cast<std::byte*>(inout);
    if (short_sum_ != nullptr && count <= few_elements) return short_sum_(from, into, count);
    for (std::int64_t i = 0; i < count; i += most_elements) {
        const int n = static_cast<int>(std::min(most_elements, count - i));
        note(PMPI_Reduce_local(from + i * type_.extent, into + i * type_.extent, n, type_.handle, op_));
    }
}

void combiner::aside(std::byte* into, const std::byte* incoming, std::int64_t count) {
    const std::int64_t most = elements_at_once(type_.size);
    std::byte* copy = space_->first.room(std::min(most, count) * type_.size);
    for (std::int64_t i = 0; i < count; i += most) {
        const std::int64_t n = std::min(most, count - i);
        const auto bytes = static_cast<std::size_t>(n * type_.size);
        std::memcpy(copy, incoming + i * type_.size, bytes);
        apply(into + i * type_.size, copy, n);
        std::memcpy(into + i * type_.size, copy, bytes);
    }
}

void combiner::spread(std::byte* into, const std::byte* incoming, std::int64_t count, action what) {
    const std::int64_t most = elements_at_once(std::max(type_.size, type_.reach));
    const bytes_t room = type_.span_of(std::min(most, count));
    std::byte* mine = space_->first.room(room) - type_.lowest;
    std::byte* other = space_->second.room(room) - type_.lowest;
    for (std::int64_t i = 0; i < count; i += most) {
        const std::int64_t n = std::min(most, count - i);
        note(unpack(into + i * type_.size, mine, n, type_));
        note(unpack(incoming + i * type_.size, other, n, type_));
        if (what == action::combine_before) apply(other, mine, n);
        else apply(mine, other, n);
        note(pack(what == action::combine_before ? mine : other, n, type_, into + i * type_.size));
    }
}

}  // namespace collsched::preload
