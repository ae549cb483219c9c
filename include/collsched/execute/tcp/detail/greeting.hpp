#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include "collsched/execute/tcp/detail/frame.hpp"
#include "collsched/execute/tcp/detail/error.hpp"
#include "collsched/execute/tcp/detail/key.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// 32 random bytes that are used for one connection, or an HMAC-SHA-256.
using digest = std::array<unsigned char, 32>;

/// Fills a nonce from the random generator of OpenSSL, whose state forked processes do not share.
/// @return false if the system has no randomness: then no connection is made
inline bool renew(digest& nonce) { return RAND_bytes(nonce.data(), static_cast<int>(nonce.size())) == 1; }

/// The first message of either side of a connection.
struct greeting {
    frame hello;
    digest nonce{};
};

/// The last message of the handshake, from the accepting side.
struct acceptance {
    std::int64_t error = 0;  ///< 0 or already_connected
    digest proof{};
};

/// The sides of a connection: the higher rank connects, the lower one accepts.
enum class side : std::uint64_t { connecting = 1, accepting = 2 };

/// The proof covers all that both sides have sent: protocol, job, number of ranks, both ranks, both nonces and the
/// error, and the side that proves. A proof is therefore valid in one connection, for one side and one pair of ranks.
struct transcript {
    std::array<char, 16> protocol{'c', 'o', 'l', 'l', 's', 'c', 'h', 'e', 'd', ' ', 't', 'c', 'p'};
    side prover{};
    std::uint64_t key_size = 0;  ///< separates keys that HMAC pads to the same block
    greeting connecting, accepting;
    std::int64_t error = 0;
};
static_assert(std::has_unique_object_representations_v<transcript> &&
              std::has_unique_object_representations_v<acceptance>);

/// Returns the HMAC-SHA-256 (RFC 2104) of a transcript. Without a key everybody can compute it.
inline digest prove(const tcp_key& key, side prover, const greeting& connecting, const greeting& accepting,
                    std::int64_t error = 0) {
    const std::uint64_t size = key.bytes().size();
    const transcript content{
        .prover = prover, .key_size = size, .connecting = connecting, .accepting = accepting, .error = error};
    static constexpr unsigned char no_key = 0;
    digest result{};
    const void* const bytes = key.empty() ? static_cast<const void*>(&no_key) : key.bytes().data();
    unsigned length = 0;
    if (HMAC(EVP_sha256(), bytes, static_cast<int>(size), reinterpret_cast<const unsigned char*>(&content),
             sizeof content, result.data(), &length) == nullptr ||
        length != result.size())
        renew(result);  // matches no proof
    return result;
}

/// Compares in a time that does not depend on the bytes.
inline bool equal_digests(const digest& a, const digest& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
