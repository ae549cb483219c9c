#pragma once

#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Errors of a tcp_transport: those of all transports, and its own.
struct tcp_error : message::error {
    /// Errors that only this transport has.
    enum own_code : int {
        bad_address = first_own,  ///< not HOST:PORT, an unknown host, or a port that cannot be bound
        unreachable,              ///< the rank did not connect in time
        not_loopback,             ///< an address outside of the loopback interface, without a key
        too_many,  ///< more receives from one rank than that rank accepts (tcp_transport::options::pending_bytes)
        already_connected,  ///< the other rank refuses this one: one with its number is or was connected
        not_authenticated,  ///< the rank did not connect in time; connections in its name did not prove the key
        bad_key,            ///< a key that has not 16 to 4096 bytes
    };

    /// Returns the meaning of an error.
    /// @param error  of a completion or a call of a tcp_transport
    /// @return a text of static duration, for any number
    static constexpr const char* text(int error) {
        switch (error) {
            case bad_address: return "the address is not HOST:PORT of a known host and a free port";
            case unreachable: return "the rank did not connect in time";
            case not_loopback: return "the address is outside of the loopback interface, which requires a key";
            case too_many: return "more receives are posted than the rank accepts";
            case already_connected: return "the rank refuses a second connection of this rank";
            case not_authenticated: return "the rank did not connect in time, and connections in its name lack the key";
            case bad_key: return "the key has not 16 to 4096 bytes";
            default: return collsched::error_text(error);
        }
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
