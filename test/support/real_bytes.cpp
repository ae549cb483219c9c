#include "support/real_bytes.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/reductions.hpp"
#include "support/bracketings.hpp"

namespace support {

namespace {

/// An element of the operand, of 1 to 24 bytes.
struct operand {
    std::array<std::byte, 24> bytes{};
    bytes_t size = 1;
};

template <class Number>
void add_as(operand& x, const operand& y) {
    for (bytes_t at = 0; at < x.size; at += static_cast<bytes_t>(sizeof(Number))) {
        Number a{}, b{};
        std::memcpy(&a, x.bytes.data() + at, sizeof a);
        std::memcpy(&b, y.bytes.data() + at, sizeof b);
        a = static_cast<Number>(a + b);
        std::memcpy(x.bytes.data() + at, &a, sizeof a);
    }
}

template <class Number, int Bits>
void compose_as(operand& x, const operand& y) {
    for (bytes_t at = 0; at < x.size; at += static_cast<bytes_t>(sizeof(Number))) {
        Number f{}, g{};
        std::memcpy(&f, x.bytes.data() + at, sizeof f);
        std::memcpy(&g, y.bytes.data() + at, sizeof g);
        constexpr std::uint64_t half = (std::uint64_t{1} << Bits) - 1;
        const std::uint64_t a = f >> Bits, b = f & half, c = g >> Bits, d = g & half;
        f = static_cast<Number>((a * c & half) << Bits | ((a * d + b) & half));
        std::memcpy(x.bytes.data() + at, &f, sizeof f);
    }
}

void multiply_matrices(operand& x, const operand& y) {
    std::uint32_t a[4], b[4];
    std::memcpy(a, x.bytes.data(), sizeof a);
    std::memcpy(b, y.bytes.data(), sizeof b);
    const std::uint32_t product[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                                     a[2] * b[1] + a[3] * b[3]};
    std::memcpy(x.bytes.data(), product, sizeof product);
}

constexpr bool of_doubles(bytes_t element, bool commutative) { return commutative ? element % 8 == 0 : element == 24; }

/// x := x op y.
void apply(operand& x, const operand& y, bool commutative) {
    if (of_doubles(x.size, commutative)) return add_as<double>(x, y);
    if (commutative) return x.size == 4 ? add_as<std::uint32_t>(x, y) : add_as<std::uint8_t>(x, y);
    if (x.size == 16) return multiply_matrices(x, y);
    x.size == 8 ? compose_as<std::uint64_t, 32>(x, y) : compose_as<std::uint8_t, 4>(x, y);
}

std::byte byte_of(double number, bytes_t i) {
    std::byte bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    return bytes[i];
}

constexpr std::byte untouched{0xa5};

}  // namespace

reduction operation(const contract& contract, operands kind) {
    if (kind == operands::rounding) return reductions::sum<double>();
    const auto combine = []<bytes_t Size, bool Commutative>() {
        return [](void*, std::byte* into, const std::byte* incoming, bytes_t size, action action) {
            for (bytes_t i = 0; i < size; i += Size) {
                operand x{.size = Size}, y{.size = Size};
                std::memcpy(x.bytes.data(), into + i, Size);
                std::memcpy(y.bytes.data(), incoming + i, Size);
                if (action == action::combine_before) std::swap(x, y);
                apply(x, y, Commutative);
                std::memcpy(into + i, x.bytes.data(), Size);
            }
        };
    };
    const auto sized = [&]<bytes_t Size>() {
        // With a known size of values and without: transports differ in how they combine.
        if (!contract.commutative) return reduction {.combine = combine.template operator()<Size, false>() };
        return reduction {.combine = combine.template operator()<Size, true>(), .commutative = true, .element = Size };
    };
    switch (contract.element) {
        case 4: return sized.operator()<4>();
        case 8: return sized.operator()<8>();
        case 16: return sized.operator()<16>();
        case 24: return sized.operator()<24>();
        default: return sized.operator()<1>();
    }
}

real_bytes::real_bytes(const contract& contract, rank_t rank, binding binding, operands kind)
    : contract_(contract), rank_(rank), kind_(kind) {
    const auto alias = contract.alias(rank, binding);
    const bytes_t in = contract.input_bytes(rank), out = contract.output_bytes(rank);
    const bool inside = alias.any();
    if (inside) {
        host_.assign(static_cast<std::size_t>(contract.reach(rank, alias.host, alias)), untouched);
        input_ = host_.data() + (alias.guest == buffer::input ? alias.offset : 0);
        output_ = host_.data() + (alias.guest == buffer::output ? alias.offset : 0);
    } else {
        host_.assign(static_cast<std::size_t>(in + out), untouched);
        input_ = host_.data();
        output_ = host_.data() + in;
    }
    refill(0);
}

rank_memory real_bytes::memory() const {
    return {{input_, static_cast<std::size_t>(contract_.input_bytes(rank_))},
            {output_, static_cast<std::size_t>(contract_.output_bytes(rank_))}};
}

void real_bytes::refill(int round) {
    round_ = round;
    last_sum_ = {-1, 0};
    for (std::byte& b : host_) b = untouched;
    for (bytes_t i = 0; i < contract_.input_bytes(rank_); ++i) input_[i] = brought(rank_, i);
    before_.assign(output_, output_ + contract_.output_bytes(rank_));
}

std::string real_bytes::wrong() const {
    std::vector<bool> written(static_cast<std::size_t>(contract_.output_bytes(rank_)));
    std::string fault;
    contract_.results(rank_, [&](const contract::result_range& part) {
        for (bytes_t i = 0; i < part.where.size; ++i) {
            const bytes_t at = part.where.offset + i;
            written[static_cast<std::size_t>(at)] = true;
            if (fault.empty() && output_[at] != expected(part, i)) fault = "wrong byte " + std::to_string(at);
        }
    });
    for (std::size_t i = 0; i < written.size(); ++i)
        if (fault.empty() && !written[i] && output_[i] != before_[i]) fault = "touched byte " + std::to_string(i);
    if (!fault.empty()) fault += " of rank " + std::to_string(rank_);
    return fault;
}

bytes_t real_bytes::together() const {
    const bytes_t size = contract_.element;
    return reduces(contract_.collective) && (size == 4 || size == 8 || size == 16 || size == 24) ? size : 1;
}

double real_bytes::number_of(rank_t rank, bytes_t index) const {
    const auto key = static_cast<std::uint64_t>(rank) << 48 | static_cast<std::uint64_t>(round_) << 40;
    const std::uint64_t bits = detail::splitmix64(key + static_cast<std::uint64_t>(index))();
    const double fraction = 1 + static_cast<double>(bits >> 12) / static_cast<double>(std::uint64_t{1} << 52);
    const std::uint64_t exponent = bits % 8 * (index % 2 == 0 ? 1 : 4);
    return ((bits & 8) != 0 ? -fraction : fraction) * static_cast<double>(1 << exponent);
}

double real_bytes::canonical_sum(const contract::result_range& part, bytes_t index) const {
    const bool of_prefix = contract_.collective == collective::scan || contract_.collective == collective::exscan;
    if (last_sum_.first != index)
        last_sum_ = {index,
                     value_of_tree(
                         part.first, part.last - part.first, of_prefix ? first_power : first_half,
                         [&](rank_t r) { return number_of(r, index); }, [](double a, double b) { return a + b; })};
    return last_sum_.second;
}

std::byte real_bytes::brought(rank_t rank, bytes_t offset) const {
    if (kind_ == operands::rounding) return byte_of(number_of(rank, offset / 8), offset % 8);
    if (of_doubles(together(), contract_.commutative)) {
        const auto number = static_cast<double>((rank * 131 + offset / 8 * 7 + round_ * 17 + 1) % 1000);
        return byte_of(number, offset % 8);
    }
    return static_cast<std::byte>((rank * 131 + offset * 7 + offset / 256 * 3 + round_ * 17 + 1) & 0xff);
}

std::byte real_bytes::expected(const contract::result_range& part, bytes_t i) const {
    if (kind_ == operands::rounding) return byte_of(canonical_sum(part, (part.at + i) / 8), (part.at + i) % 8);
    const bytes_t size = together(), inside = (part.at + i) % size, first = part.at + i - inside;
    const auto element = [&](rank_t r) {
        operand made{.size = size};
        for (bytes_t j = 0; j < size; ++j) made.bytes[static_cast<std::size_t>(j)] = brought(r, first + j);
        return made;
    };
    operand result = element(part.first);
    for (rank_t r = part.first + 1; r < part.last; ++r) apply(result, element(r), contract_.commutative);
    return result.bytes[static_cast<std::size_t>(inside)];
}

filled::filled(const contract& contract, binding binding, operands kind) {
    for (rank_t r = 0; r < contract.ranks; ++r)
        memory.push_back(bytes.emplace_back(contract, r, binding, kind).memory());
}

void filled::refill(int round) {
    for (auto& one : bytes) one.refill(round);
}

}  // namespace support
