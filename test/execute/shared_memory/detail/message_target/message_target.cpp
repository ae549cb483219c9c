#include "collsched/execute/shared_memory/detail/message_target.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/reduce_with.hpp"
#include "collsched/execute/shared_memory/detail/process_copy.hpp"

using namespace collsched;
using detail::message_target;

namespace {

/// Values of 1, 4, 24 or 128 bytes: the first two are combined in chunks, the others as a whole message.
template <std::size_t Size>
struct value {
    std::uint8_t bytes[Size];

    /// Neither commutative nor idempotent.
    friend value join(const value& a, const value& b) {
        value result{};
        for (std::size_t i = 0; i < Size; ++i)
            result.bytes[i] = static_cast<std::uint8_t>(3 * a.bytes[i] + b.bytes[Size - 1 - i] + 1);
        return result;
    }
};

template <std::size_t Size>
auto joining() {
    return reduce_with<value<Size>>([](const value<Size>& a, const value<Size>& b) { return join(a, b); });
}

std::vector<std::byte> random_bytes(bytes_t size, std::uint64_t seed) {
    detail::splitmix64 random(seed);
    std::vector<std::byte> all(static_cast<std::size_t>(size));
    for (std::byte& b : all) b = static_cast<std::byte>(random());
    return all;
}

/// A combination: message and operand, the result that is expected, and the parts of one.
template <std::size_t Size>
struct combination {
    combination(bytes_t values, bool in_place, action action, bool size_is_known = true)
        : size(values * static_cast<bytes_t>(Size)), message(random_bytes(size, 1)), operand(random_bytes(size, 2)) {
        into = in_place ? operand : std::vector<std::byte>(operand.size());
        op = function;
        if (!size_is_known) op.element = 0;
        part = {{into.data(), size}, {in_place ? into.data() : operand.data(), size}, action, &op};
        expected = operand;
        op.combine(op.context, expected.data(), message.data(), size, action);
    }
    combination(const combination&) = delete;

    bytes_t size;
    std::vector<std::byte> message, operand, into, expected;
    decltype(joining<Size>()) function = joining<Size>();
    reduction op;
    message::combined_part part;
};

/// Passes a message in parts of these many bytes; then it has been combined.
template <std::size_t Size>
bool combines(combination<Size>& c, message_target& target, bytes_t part) {
    target.combine_into(c.part);
    for (bytes_t at = 0; at < c.size; at += part) {
        const bytes_t n = std::min(part, c.size - at);
        if (!target.accepts(n) || target.remaining() != c.size - at) return false;
        target.take(c.message.data() + at, n);
    }
    return target.remaining() == 0 && c.into == c.expected;
}

template <std::size_t Size>
void check_parts() {
    message_target target;  // one for many messages, as in an inbox
    for (const bool in_place : {false, true})
        for (const action action : {action::combine_before, action::combine_after})
            for (const bool known : {false, true})
                for (const bytes_t part : {64, 192, 32704, 1 << 20}) {
                    combination<Size> c(2000, in_place, action, known);
                    CHECK(combines(c, target, part));
                }
}

}  // namespace

TEST_CASE("message_target: a message in parts is combined once, whatever the size of its values") {
    check_parts<1>();
    check_parts<4>();
    check_parts<24>();
    check_parts<128>();
}

TEST_CASE("message_target: a reduction of two operands combines in the target, in the order of its action") {
    message_target target;
    for (const action action : {action::combine_before, action::combine_after})
        for (const bytes_t part : {64, 32704, 1 << 20}) {
            combination<4> c(20'000, false, action);
            c.op.combine_into = nullptr;
            CHECK(c.part.combines_received());
            CHECK(combines(c, target, part));
        }
    const combination<4> in_place(10, true, action::combine_after);
    CHECK(!in_place.part.combines_received());
}

TEST_CASE("message_target: a message of one part is read from another process, if its size is right") {
    std::uint64_t guard = 7;
    const detail::remote_message message{.guard = reinterpret_cast<std::uintptr_t>(&guard), .id = 7};
    message_target target;
    for (const bool two_operands : {false, true}) {
        combination<4> c(100'000, false, action::combine_after);
        if (two_operands) c.op.combine_into = nullptr;
        target.combine_into(c.part);
        CHECK(!target.take_part(detail::process_memory{::getpid(), message}, {c.message.data(), c.size - 4}));
        CHECK(target.take_part(detail::process_memory{::getpid(), message}, {c.message.data(), c.size}));
        CHECK(c.into == c.expected);
    }
    const std::vector<std::byte> bytes = random_bytes(1000, 4);
    std::vector<std::byte> into(1000);
    const message::receive_part parts[] = {{into.data(), 300}, {into.data() + 300, 700}};
    target.copy_into(parts);
    CHECK(!target.take_part(detail::process_memory{::getpid(), message}, {bytes.data(), 999}));
    CHECK(target.take_part(detail::process_memory{::getpid(), message}, {bytes.data(), 1000}));
    CHECK(into == bytes);
    guard = 8;  // the sender has taken the message back
    CHECK(!target.take_part(detail::process_memory{::getpid(), message}, {bytes.data(), 1000}));
}

TEST_CASE("message_target: a part that cuts a value is not accepted, nor more bytes than the receive has") {
    combination<4> c(10, false, action::combine_after);
    message_target target;
    target.combine_into(c.part);
    CHECK(target.size() == 40);
    CHECK((target.accepts(0) && target.accepts(4) && target.accepts(40)));
    CHECK((!target.accepts(6) && !target.accepts(44)));
    std::vector<std::byte> into(10);
    const message::receive_part parts[] = {{into.data(), 3}, {into.data() + 3, 7}};
    target.copy_into(parts);
    CHECK((target.accepts(6) && target.accepts(10) && !target.accepts(11)));
}

TEST_CASE("message_target: after a restart no byte is combined twice") {
    message_target target;
    for (const bytes_t before : {0, 128, 40000, 80000}) {
        combination<4> c(20'000, true, action::combine_after);
        target.combine_into(c.part);
        target.take(c.message.data(), before);
        target.restart();
        CHECK(target.remaining() == 80'000);
        target.take(c.message.data(), 64);
        target.take(c.message.data() + 64, c.size - 64);
        CHECK(target.remaining() == 0);
        CHECK(c.into == c.expected);
    }
}

TEST_CASE("message_target: bytes of a receive go into its parts") {
    const std::vector<std::byte> message = random_bytes(100, 3);
    std::vector<std::byte> first(30), second(70);
    const message::receive_part parts[] = {{first.data(), 30}, {second.data(), 70}};
    message_target target;
    target.copy_into(parts);
    target.take(message.data(), 50);
    target.restart();
    target.take(message.data(), 100);
    CHECK(std::equal(first.begin(), first.end(), message.begin()));
    CHECK(std::equal(second.begin(), second.end(), message.begin() + 30));
}

TEST_CASE("message_target: a message that is shorter than its receive leaves the rest as it is") {
    for (const bytes_t size : {0, 1, 3, 4, 60, 5000, 20'000})
        for (const bytes_t in_one : {size, bytes_t{7}}) {
            const std::vector<std::byte> message = random_bytes(size, 3);  // of its own size, for the sanitizers
            const std::vector<std::byte> before = random_bytes(size + 11, 4);
            std::vector<std::byte> into = before, expected = before;
            std::copy(message.begin(), message.end(), expected.begin());
            const bytes_t first = std::min<bytes_t>(size + 1, 4);
            const message::receive_part parts[2] = {{into.data(), first}, {into.data() + first, size + 11 - first}};
            message_target target;
            target.copy_into(parts);
            target.shorten(size);
            for (bytes_t at = 0; at < size; at += in_one) target.take(message.data() + at, std::min(in_one, size - at));
            CHECK(target.remaining() == 0);
            CHECK(into == expected);
        }
}

TEST_CASE("message_target: combines from the memory of a process, as long as the guard holds and the size is equal") {
    const auto check = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
        for (const bytes_t values : {1, 3000, 400'000 / static_cast<int>(Size)}) {
            combination<Size> c(values, true, action::combine_before);
            std::uint64_t guard = 7;
            const message::send_part part{c.message.data(), c.size}, shorter{c.message.data(), c.size - 1};
            const auto described = [&](const message::send_part& p, std::uint64_t id) {
                return detail::remote_message{reinterpret_cast<std::uintptr_t>(&p), 1,
                                              reinterpret_cast<std::uintptr_t>(&guard), id};
            };
            message_target target;
            target.combine_into(c.part);
            const std::vector<std::byte> before = c.into;
            CHECK(!target.take_from(detail::process_memory{::getpid(), described(part, 8)}));
            CHECK(!target.take_from(detail::process_memory{::getpid(), described(shorter, 7)}));
            CHECK(c.into == before);
            CHECK(target.take_from(detail::process_memory{::getpid(), described(part, 7)}));
            CHECK(target.remaining() == 0);
            CHECK(c.into == c.expected);
        }
    };
    check(std::integral_constant<std::size_t, 4>{});
    check(std::integral_constant<std::size_t, 24>{});
}

TEST_CASE("message_target: what was combined before a page that cannot be read is not combined again") {
    const bytes_t page = ::sysconf(_SC_PAGESIZE), bytes = 512 * page;  // several chunks
    void* const memory =
        ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    combination<4> c(bytes / 4, true, action::combine_after);
    std::memcpy(memory, c.message.data(), c.message.size());
    REQUIRE(::mprotect(static_cast<std::byte*>(memory) + 300 * page, static_cast<std::size_t>(page), PROT_NONE) == 0);
    std::uint64_t guard = 7;
    const message::send_part part{static_cast<const std::byte*>(memory), bytes};
    const detail::remote_message message{reinterpret_cast<std::uintptr_t>(&part), 1,
                                         reinterpret_cast<std::uintptr_t>(&guard), 7};
    message_target target;
    target.combine_into(c.part);
    const std::vector<std::byte> before = c.into;
    CHECK(!target.take_from(detail::process_memory{::getpid(), message}));
    CHECK(c.into != before);
    target.restart();
    target.take(c.message.data(), bytes);
    CHECK(c.into == c.expected);
    ::munmap(memory, static_cast<std::size_t>(bytes));
}

TEST_CASE("message_target: a combination reads nothing of the receive before it") {
    message_target target;
    for (const bytes_t values : {1, 20'000}) {
        std::vector<std::byte> into(10);
        auto parts =
            std::make_unique<message::receive_part[]>(2);  // on the heap, so that a sanitizer reports a late access
        parts[0] = {into.data(), 4}, parts[1] = {into.data() + 4, 6};
        target.copy_into({parts.get(), 2});
        target.take(random_bytes(10, 4).data(), 10);
        parts.reset();
        combination<4> c(values, false, action::combine_after);
        CHECK(combines(c, target, 64));
    }
}
