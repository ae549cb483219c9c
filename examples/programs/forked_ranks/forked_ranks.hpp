#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "collsched/core/rank.hpp"

namespace examples {

using collsched::rank_t;

/// One note per rank that all ranks can read, in memory shared by processes that are forked afterwards.
class notice_board {
  public:
    static constexpr std::size_t most_bytes = 16'000;  ///< per note

    explicit notice_board(rank_t ranks) : size_(sizeof(note) * static_cast<std::size_t>(ranks)) {
        void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        notes_ = static_cast<note*>(memory);  // zeroed: no note has been put
    }
    notice_board(const notice_board&) = delete;
    notice_board& operator=(const notice_board&) = delete;
    ~notice_board() { munmap(notes_, size_); }

    /// Puts the note of a rank. Called once per rank.
    void put(rank_t rank, std::string_view text) {
        if (text.size() > most_bytes) throw std::bad_alloc();
        std::memcpy(notes_[rank].text, text.data(), text.size());
        notes_[rank].size.store(text.size() + 1, std::memory_order_release);
    }
    bool has(rank_t rank) const { return notes_[rank].size.load(std::memory_order_acquire) > 0; }
    /// Waits for the note of a rank. Returns an empty text if it does not arrive.
    std::string get(rank_t rank) const {
        for (int tries = 0; tries < 20'000 && !has(rank); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return has(rank) ? std::string(notes_[rank].text, std::min(notes_[rank].size - 1, most_bytes)) : "";
    }
    std::vector<std::string> all(rank_t ranks) const {
        std::vector<std::string> texts;
        for (rank_t r = 0; r < ranks; ++r) texts.push_back(get(r));
        return texts;
    }

  private:
    struct note {
        std::atomic<std::size_t> size;  // plus one
        char text[most_bytes];
    };
    static_assert(std::atomic<std::size_t>::is_always_lock_free);

    std::size_t size_;
    note* notes_;
};

/// Connects a transport with all others. On failure prints a line.
template <class Transport>
bool connected(rank_t rank, Transport& over, const std::vector<std::string>& addresses) {
    const auto met = over.connect(addresses, std::chrono::seconds(60));
    if (met.error != 0)
        std::fprintf(stderr, "rank %d: error %d with rank %d\n", static_cast<int>(rank), met.error,
                     static_cast<int>(met.peer));
    return met.error == 0;
}

/// Runs f(rank) in one process per rank. Returns the number of processes with an exit status other than 0. All end
/// before the caller continues.
template <class F>
int fork_ranks(rank_t ranks, F f) {
    std::fflush(nullptr);
    int failed = 0;
    for (rank_t r = 0; r < ranks; ++r) {
        const pid_t pid = fork();
        if (pid < 0) ++failed;
        if (pid != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int status = f(r);
        std::fflush(nullptr);
        _exit(status);
    }
    for (int status = 0; wait(&status) > 0;) failed += status != 0;
    return failed;
}

/// Runs f(rank, transport) in one process per rank, with a transport that make(rank) returns, connected with all others
/// at the addresses that address(transport) returns.
template <class Make, class Address, class F>
int fork_connected(rank_t ranks, Make make, Address address, F f) {
    notice_board board(ranks);
    return fork_ranks(ranks, [&](rank_t rank) {
        auto over = make(rank);
        board.put(rank, address(over));
        return connected(rank, over, board.all(ranks)) ? f(rank, over) : 1;
    });
}

/// Reads a number of a command line, `least` to `most`. For other texts prints one line and exits with status 2.
inline rank_t read_number(const char* name, std::string_view text, rank_t least, rank_t most) {
    rank_t number = 0;
    const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong == std::errc() && stop == text.data() + text.size() && number >= least && number <= most) return number;
    std::fprintf(stderr, "%s: got %.*s, expected %lld..%lld\n", name, static_cast<int>(text.size()), text.data(),
                 static_cast<long long>(least), static_cast<long long>(most));
    std::exit(2);
}

/// Largest number of processes that these programs fork.
inline constexpr rank_t most_forked_ranks = 64;

}  // namespace examples
