#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "collsched/execute/tcp/detail/connector.hpp"
#include "collsched/execute/tcp/detail/listener.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// Connects a rank with all others: it connects to lower ranks and accepts connections from higher ranks, all at the
/// same time. Both sides prove that they have the key, by four messages:
///
///     connecting -> accepting: greeting: hello, nonce
///     accepting -> connecting: greeting: hello, nonce
///     connecting -> accepting: proof
///     accepting -> connecting: acceptance: error, proof
class handshake {
  public:
    using clock = std::chrono::steady_clock;

    handshake(asio::io_context& io, asio::ip::tcp::acceptor& acceptor, rank_t rank, rank_t ranks,
              const tcp_options& options)
        : shared_(std::make_shared<bootstrap>(io, rank, ranks, options)),
          listener_(std::make_shared<listener>(shared_, acceptor)) {}
    handshake(const handshake&) = delete;
    handshake& operator=(const handshake&) = delete;
    ~handshake() { stop(); }

    /// Connects to a lower rank, which may not listen yet, until it replies.
    void connect(rank_t peer, const connector::endpoints& targets) {
        connectors_.push_back(std::make_shared<connector>(shared_, peer, targets));
        connectors_.back()->connect();
    }

    /// Runs until all ranks are connected, one of them refuses this rank, or the time is up. Returns the error and the
    /// rank that causes it, or none. After success the listener stays: it refuses ranks that come later.
    completion run(clock::time_point until) {
        listener_->accept();
        while (shared_->missing() >= 0 && shared_->refusal.error == 0 && clock::now() < until) {
            shared_->io->restart();
            shared_->io->run_one_until(until);
        }
        const rank_t missing = shared_->missing();
        shared_->started = missing < 0;
        if (shared_->started) {
            connectors_.clear();
            return {};
        }
        stop();
        if (shared_->refusal.error != 0) return shared_->refusal;
        return {{}, shared_->at(missing).denied ? tcp_error::not_authenticated : tcp_error::unreachable, missing};
    }

    /// Returns the connection with a rank.
    bootstrap::slot& at(rank_t peer) { return shared_->at(peer); }
    /// Returns the largest number of connections at a time without a hello, or with a hello and without a proof.
    std::size_t half_open() const { return listener_->half_open(); }

  private:
    /// Cancels all operations. Handlers that run later do nothing.
    void stop() {
        if (std::exchange(shared_->stopped, true)) return;
        listener_->stop();
        for (const auto& connector : connectors_) connector->stop();
    }

    std::shared_ptr<bootstrap> shared_;
    std::shared_ptr<listener> listener_;
    std::vector<std::shared_ptr<connector>> connectors_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
