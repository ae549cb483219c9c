#include "support/same_bits.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/inline.hpp"

namespace support {

namespace {

/// x op y where neither the order of operands nor the bracket may change.
struct ordered_words {
    using number = std::uint64_t;
    static number combine(number x, number y) {
        return detail::splitmix64(x * 0xd6e8feb86659fd93U + std::rotl(y, 17))();
    }
};

/// x op y where the operands of each combination may trade places, and the bracket may not change.
struct exchangeable_words {
    using number = std::uint64_t;
    static number combine(number x, number y) { return detail::splitmix64(x + y)(); }
};

/// The sum of floating-point numbers: of large ones that cancel each other, another bracket is another sum.
template <class Real>
struct sum_of {
    using number = Real;
    static number combine(number x, number y) { return x + y; }
};

template <class Operation>
void combine_numbers(void*, std::byte* into, const std::byte* incoming, bytes_t size, action what) {
    using number = typename Operation::number;
    for (bytes_t i = 0; i < size; i += static_cast<bytes_t>(sizeof(number))) {
        number own{}, other{};
        std::memcpy(&own, into + i, sizeof own);
        std::memcpy(&other, incoming + i, sizeof other);
        own = what == action::combine_before ? Operation::combine(other, own) : Operation::combine(own, other);
        std::memcpy(into + i, &own, sizeof own);
    }
}

/// Runs an allreduce of numbers in one thread, rank r bringing brought(r, i) as its i-th. The output of every rank;
/// empty where it does not run to its end.
template <class Operation, class Brought>
auto allreduced(const some_schedule& x, binding binding, const Brought& brought) {
    using number = typename Operation::number;
    const contract contract = x.contract();
    const auto n = static_cast<std::size_t>(contract.bytes) / sizeof(number);
    std::vector<std::vector<number>> inputs, outputs;
    std::vector<rank_memory> memory;
    for (rank_t r = 0; r < contract.ranks; ++r) {
        std::vector<number> own;
        for (std::size_t i = 0; i < n; ++i) own.push_back(brought(r, i));
        outputs.push_back(binding == binding::in_place ? own : std::vector<number>(n));
        inputs.push_back(std::move(own));
    }
    for (std::size_t r = 0; r < inputs.size(); ++r) {
        const auto output = std::as_writable_bytes(std::span(outputs[r]));
        const auto input = std::as_bytes(std::span(inputs[r]));
        memory.push_back({binding == binding::in_place ? std::span<const std::byte>(output) : input, output});
    }
    const reduction op{.combine = combine_numbers<Operation>, .commutative = contract.commutative};
    if (!run_inline(x, memory, binding, op).done()) outputs.clear();
    return outputs;
}

/// Returns the first rank whose output differs from that of rank 0 in some bit, or "".
template <class Number>
std::string differing(const std::vector<std::vector<Number>>& outputs) {
    if (outputs.empty()) return "it does not run to its end";
    const auto first = std::as_bytes(std::span(outputs[0]));
    for (std::size_t r = 1; r < outputs.size(); ++r)
        if (!std::ranges::equal(std::as_bytes(std::span(outputs[r])), first))
            return "other bits on rank " + std::to_string(r);
    return "";
}

template <class Real>
std::string differing_sums(const some_schedule& x, Real large, binding binding) {
    const Real all[] = {large, 1, -large, 1};
    return differing(allreduced<sum_of<Real>>(
        x, binding, [&](rank_t r, std::size_t i) { return all[(static_cast<std::size_t>(r) + i) % 4]; }));
}

}  // namespace

std::string wrong_bits(const some_schedule& x, binding binding) {
    const auto brought = [](rank_t r, std::size_t i) {
        return detail::splitmix64(static_cast<std::uint64_t>(r) << 32 | i)();
    };
    if (x.contract().commutative) return differing(allreduced<exchangeable_words>(x, binding, brought));
    return differing(allreduced<ordered_words>(x, binding, brought));
}

std::string wrong_sums(const some_schedule& x, double large, binding binding) {
    return differing_sums(x, large, binding);
}
std::string wrong_sums(const some_schedule& x, float large, binding binding) {
    return differing_sums(x, large, binding);
}

}  // namespace support
