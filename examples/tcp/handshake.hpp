#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "caller.hpp"
#include "door.hpp"

namespace examples {

/// Connects a rank with all others: it connects to lower ranks and accepts connections from higher ranks, all at the
/// same time. Both sides prove that they have the key, by four messages:
///
///     connecting -> accepting: greeting: hello, nonce
///     accepting -> connecting: greeting: hello, nonce
///     connecting -> accepting: proof
///     accepting -> connecting: verdict: error, proof
class handshake {
  public:
    using clock = std::chrono::steady_clock;

    handshake(asio::io_context& io, asio::ip::tcp::acceptor& acceptor, rank_t rank, rank_t ranks,
              const tcp_options& options)
        : all_(std::make_shared<meeting>(io, rank, ranks, options)), door_(std::make_shared<door>(all_, acceptor)) {}
    handshake(const handshake&) = delete;
    handshake& operator=(const handshake&) = delete;
    ~handshake() { stop(); }

    /// Connects to a lower rank, which may not listen yet, until it replies.
    void call(rank_t peer, const caller::endpoints& at) {
        callers_.push_back(std::make_shared<caller>(all_, peer, at));
        callers_.back()->call();
    }

    /// Runs until all ranks are connected, one of them refuses this rank, or the time is up. Returns the error and the
    /// rank that causes it, or none. After success the door stays: it refuses ranks that come later.
    completion run(clock::time_point until) {
        door_->accept();
        while (all_->missing() >= 0 && all_->refusal.error == 0 && clock::now() < until) {
            all_->io->restart();
            all_->io->run_one_until(until);
        }
        const rank_t missing = all_->missing();
        all_->started = missing < 0;
        if (all_->started) {
            callers_.clear();
            return {};
        }
        stop();
        if (all_->refusal.error != 0) return all_->refusal;
        return {{}, all_->at(missing).denied ? tcp_error::not_authenticated : tcp_error::unreachable, missing};
    }

    /// Returns the connection with a rank.
    meeting::seat& with(rank_t peer) { return all_->at(peer); }
    std::size_t half_open() const { return door_->half_open(); }

  private:
    /// Cancels all operations. Handlers that run later do nothing.
    void stop() {
        if (std::exchange(all_->stopped, true)) return;
        door_->stop();
        for (const auto& one : callers_) one->stop();
    }

    std::shared_ptr<meeting> all_;
    std::shared_ptr<door> door_;
    std::vector<std::shared_ptr<caller>> callers_;
};

}  // namespace examples
