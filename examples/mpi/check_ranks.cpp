#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "fingerprint.hpp"
#include "native_mpi.hpp"
#include "selection.hpp"
#include "start_checks.hpp"

namespace collsched::preload {

namespace {

using std::chrono::steady_clock;

/// Tags in MPI_COMM_WORLD. Every message has been received when the check ends, and no rank returns to its program
/// before, so the program may use them as well.
enum tag : int { report_tag = 32767, question_tag = 32766, answer_tag = 32765 };

constexpr int most_named = 12;

/// The result of the ranks of a subtree.
struct report {
    std::array<char, 8> format{'c', 'o', 'l', 'l', 's', 'c', 'h', '1'};
    std::int32_t threads = 0;                      ///< whether any rank has MPI_THREAD_MULTIPLE
    std::int32_t differing = 0;                    ///< number of ranks that differ from rank 0
    std::array<std::int32_t, most_named> ranks{};  ///< the first of them
    std::int32_t length = 0;                       ///< of the text
    std::array<char, 600> text{};                  ///< the differences of the first of them

    std::size_t bytes() const { return offsetof(report, text) + static_cast<std::size_t>(length); }
    int named() const { return std::min(differing, most_named); }
};

[[noreturn]] void end_program(const std::string& line) {
    std::fprintf(stderr, "collsched: %s\n", line.c_str());
    std::fflush(stderr);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // launchers drop text that is still on its way
    PMPI_Abort(MPI_COMM_WORLD, 2);
    std::_Exit(2);
}

/// Returns "rank 3" or "ranks 1, 2, 3 and 5 more".
std::string named(const std::int32_t* ranks, int listed, int all) {
    std::string text = all == 1 ? "rank " : "ranks ";
    for (int i = 0; i < listed; ++i) text.append(i == 0 ? "" : ", ").append(std::to_string(ranks[i]));
    if (all > listed) text.append(" and ").append(std::to_string(all - listed)).append(" more");
    return text;
}

/// The messages of one rank.
class start_check {
  public:
    start_check() : fingerprint_(fingerprint()), seconds_(init_seconds()) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
        reported_.resize(static_cast<std::size_t>(ranks_));
        // Rank 0 may have no library itself. Then rank 1 finds the missing ranks, later.
        deadline_ = began_ + std::chrono::seconds(seconds_) + std::min(rank_, 8) * 2 * answer_time;
    }

    bool run(bool mine) {
        report sum;
        sum.threads = mine ? 1 : 0;
        std::string of_root = fingerprint_;
        if (rank_ != 0) of_root = receive(parent());
        to_children(of_root.data(), of_root.size());
        if (const std::string text = differences(fingerprint_, of_root); !text.empty()) {
            sum.differing = 1;
            sum.ranks[0] = rank_;
            sum.length = static_cast<std::int32_t>(std::min(text.size(), sum.text.size()));
            std::memcpy(sum.text.data(), text.data(), static_cast<std::size_t>(sum.length));
        }
        for (int child = first_child(); child != 0; child = next_child(child)) {
            add(sum, receive_report(child));
            std::fill_n(reported_.begin() + child, std::min(size_of_subtree(child), ranks_ - child), true);
        }
        if (rank_ == 0 && sum.differing != 0) refuse(sum);
        if (rank_ != 0) {
            send(parent(), report_tag, &sum, sum.bytes());
            sum = receive_report(parent());
        }
        to_children(&sum, sum.bytes());
        while (!sent()) sched_yield();
        return sum.threads != 0;
    }

  private:
    static constexpr std::chrono::milliseconds answer_time{1000};

    int parent() const { return rank_ & (rank_ - 1); }
    int size_of_subtree(int rank) const { return rank == 0 ? ranks_ : rank & -rank; }
    int first_child() const { return next_child(rank_); }
    /// Returns the child after another; 0: there is none.
    int next_child(int last) const {
        const int step = last == rank_ ? 1 : 2 * (last - rank_);
        return step < size_of_subtree(rank_) && step < ranks_ - rank_ ? rank_ + step : 0;
    }

    void send(int to, int tag, const void* data, std::size_t bytes) {
        const char* begin = static_cast<const char*>(data);
        const std::vector<char>& kept = outgoing_.emplace_back(begin, begin + bytes);
        PMPI_Isend(kept.data(), static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    void to_children(const void* data, std::size_t bytes) {
        for (int child = first_child(); child != 0; child = next_child(child)) send(child, report_tag, data, bytes);
    }
    bool sent() {
        int all = 0;
        PMPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
        return all != 0;
    }

    static bool arrived(int from, int tag, MPI_Status& status) {
        int flag = 0;
        PMPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &status);
        return flag != 0;
    }

    std::string receive(int from) {
        MPI_Status status;
        while (!arrived(from, report_tag, status)) {
            sent();
            answer();
            if (steady_clock::now() > deadline_) find_missing();
            sched_yield();
        }
        int bytes = 0;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        if (bytes < 0 || static_cast<std::size_t>(bytes) > most_of_fingerprint) refuse_format(from);
        std::string text(static_cast<std::size_t>(bytes), '\0');
        PMPI_Recv(text.data(), bytes, MPI_BYTE, from, report_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return text;
    }

    report receive_report(int from) {
        const std::string text = receive(from);
        report got;
        if (text.size() < offsetof(report, text) || text.size() > sizeof(report)) refuse_format(from);
        std::memcpy(&got, text.data(), text.size());
        const bool right_length = got.length >= 0 && static_cast<std::size_t>(got.length) <= got.text.size();
        if (got.format != report{}.format || got.differing < 0 || !right_length || got.bytes() != text.size())
            refuse_format(from);
        return got;
    }

    [[noreturn]] static void refuse_format(int from) {
        end_program("rank " + std::to_string(from) +
                    ": got a message of unknown form at MPI_Init, expected the same version of the library on all "
                    "ranks");
    }

    [[noreturn]] static void refuse(const report& sum) {
        const std::string text(sum.text.data(), static_cast<std::size_t>(sum.length));
        std::string line = named(sum.ranks.data(), 1, 1) + ": " + printable(text) + "; expected the same on all ranks";
        if (sum.differing > 1) line += " (" + named(sum.ranks.data(), sum.named(), sum.differing) + " differ)";
        end_program(line);
    }

    /// Adds the report of a child. Its ranks come after those before.
    static void add(report& sum, const report& of_child) {
        for (int i = 0; i < of_child.named() && sum.differing + i < most_named; ++i)
            sum.ranks[static_cast<std::size_t>(sum.differing + i)] = of_child.ranks[static_cast<std::size_t>(i)];
        if (sum.differing == 0) sum.length = of_child.length, sum.text = of_child.text;
        sum.differing += of_child.differing;
        sum.threads |= of_child.threads;
    }

    /// Answers a rank that looks for missing ones. A message of the program is no question: none comes so early.
    void answer() {
        MPI_Status status;
        if (steady_clock::now() < began_ + answer_time / 4) return;
        if (!arrived(MPI_ANY_SOURCE, question_tag, status)) return;
        int bytes = 0;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        if (bytes != 0) return;
        PMPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, question_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        send(status.MPI_SOURCE, answer_tag, nullptr, 0);
        if (status.MPI_SOURCE < rank_) deadline_ = steady_clock::now() + std::chrono::seconds(seconds_);
    }

    /// Asks all ranks of whom nothing is known. Returns if all answer: they are slow.
    void find_missing() {
        std::vector<bool> present = reported_;
        present[static_cast<std::size_t>(rank_)] = true;
        for (int r = 0; r < ranks_; ++r)
            if (!present[static_cast<std::size_t>(r)]) send(r, question_tag, nullptr, 0);
        const auto until = steady_clock::now() + answer_time;
        while (std::ranges::find(present, false) != present.end()) {
            MPI_Status status;
            answer();
            if (arrived(MPI_ANY_SOURCE, answer_tag, status)) {
                PMPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                present[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
            } else if (steady_clock::now() > until) {
                refuse_missing(present);
            }
            sched_yield();
        }
        deadline_ = steady_clock::now() + std::chrono::seconds(seconds_);
    }

    [[noreturn]] void refuse_missing(const std::vector<bool>& present) const {
        std::vector<std::int32_t> missing;
        for (int r = 0; r < ranks_; ++r)
            if (!present[static_cast<std::size_t>(r)]) missing.push_back(r);
        const int all = static_cast<int>(missing.size());
        end_program(named(missing.data(), std::min(all, most_named), all) + ": no message within " +
                    std::to_string(seconds_) +
                    " s at MPI_Init, expected this library by LD_PRELOAD, of the same version, on all ranks");
    }

    std::string fingerprint_;
    int seconds_;
    int rank_ = 0, ranks_ = 1;
    steady_clock::time_point began_ = steady_clock::now(), deadline_;
    std::vector<bool> reported_;  ///< per rank: a child has sent the report of its subtree
    std::deque<std::vector<char>> outgoing_;
    std::vector<MPI_Request> requests_;
};

}  // namespace

bool check_ranks(bool mine) { return start_check().run(mine); }

}  // namespace collsched::preload
