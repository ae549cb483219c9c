#pragma once

namespace examples {

/// Errors of a tcp_transport.
enum tcp_error : int {
    peer_died = 1,           ///< the connection ended without a goodbye
    peer_closed = 2,         ///< the other rank has closed its transport, and this message will not complete
    disagreement = 3,        ///< the two ends run different schedules
    size_mismatch = 4,       ///< a send and its receive are of different sizes
    protocol_error = 5,      ///< the other rank has sent a frame that the protocol does not allow: it is disconnected
    no_such_peer = 6,        ///< a rank outside of the group, the own rank, or one that is not connected
    nobody_left = 7,         ///< no rank is connected: a wait would never end
    bad_address = 8,         ///< not HOST:PORT, an unknown host, or a port that cannot be bound
    unreachable = 9,         ///< the rank did not connect in time
    not_loopback = 10,       ///< an address outside of the loopback interface, without a key
    too_many = 11,           ///< more receives from one rank than that rank accepts (tcp_options::pending_bytes)
    taken_back = 12,         ///< only in frames: the receive was cancelled, and its message will not be sent
    already_connected = 13,  ///< the other rank refuses this one: one with its number is or was connected
    not_authenticated = 14,  ///< the rank did not connect in time; connections in its name did not prove the key
    bad_key = 15,            ///< a key that has not 16 to 4096 bytes
};

/// Returns the meaning of a tcp_error; "no error" for 0, "unknown error" for other numbers.
constexpr const char* tcp_error_text(int error) {
    switch (error) {
        case 0: return "no error";
        case peer_died: return "the rank died";
        case peer_closed: return "the rank has closed its transport";
        case disagreement: return "the ranks run different schedules";
        case size_mismatch: return "a send and its receive have different sizes";
        case protocol_error: return "the rank has violated the protocol";
        case no_such_peer: return "no rank with this number is connected";
        case nobody_left: return "no rank is connected";
        case bad_address: return "the address is not HOST:PORT of a known host and a free port";
        case unreachable: return "the rank did not connect in time";
        case not_loopback: return "the address is outside of the loopback interface, which requires a key";
        case too_many: return "more receives are posted than the rank accepts";
        case taken_back: return "the receive was cancelled";
        case already_connected: return "the rank refuses a second connection of this rank";
        case not_authenticated: return "the rank did not connect in time, and connections in its name lack the key";
        case bad_key: return "the key has not 16 to 4096 bytes";
        default: return "unknown error";
    }
}

}  // namespace examples
