#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "native_mpi.hpp"
#include "report_file.hpp"

namespace collsched::preload {

namespace {

constexpr std::int64_t most_report_bytes = std::int64_t{1} << 30;

/// Rows as bytes: numbers in the order of this node, texts behind their lengths.
class row_writer {
  public:
    template <class Value>
    void number(Value value) {
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(const std::string& value) {
        number(static_cast<std::int64_t>(value.size()));
        text_ += value;
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

/// Reads what a row_writer has written on another rank; every length is checked.
class row_reader {
  public:
    explicit row_reader(std::string_view rest) : rest_(rest) {}

    template <class Value>
    bool number(Value& value) {
        if (rest_.size() < sizeof value) return false;
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_.remove_prefix(sizeof value);
        return true;
    }
    bool text(std::string& value) {
        std::int64_t length = 0;
        if (!number(length) || length < 0 || static_cast<std::uint64_t>(length) > rest_.size()) return false;
        value = rest_.substr(0, static_cast<std::size_t>(length));
        rest_.remove_prefix(value.size());
        return true;
    }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

std::string packed(const merged_rows& rows) {
    row_writer out;
    for (const auto& [which, sums] : rows) {
        out.number(static_cast<std::int64_t>(which.what));
        out.number(static_cast<std::int64_t>(which.form));
        for (const std::int64_t value : {which.ranks, which.ranks_per_node, which.bytes_from, which.commutative})
            out.number(value);
        for (const std::string* value : {&which.algorithm, &which.parameters, &which.reason}) out.text(*value);
        for (const std::int64_t value : {sums.calls, sums.most_calls, sums.bytes, sums.timed_calls}) out.number(value);
        for (const double value : {sums.seconds, sums.most_seconds}) out.number(value);
    }
    return out.take();
}

/// Reads a row. Returns false if it is malformed.
bool read_row(row_reader& in, call_class& which, call_sums& sums) {
    std::int64_t what = 0, form = 0;
    if (!in.number(what) || what < 0 || what >= functions) return false;
    if (!in.number(form) || form < 0 || form >= call_forms) return false;
    which.what = static_cast<function>(what);
    which.form = static_cast<call_form>(form);
    for (std::int64_t* value : {&which.ranks, &which.ranks_per_node, &which.bytes_from, &which.commutative})
        if (!in.number(*value)) return false;
    for (std::string* value : {&which.algorithm, &which.parameters, &which.reason})
        if (!in.text(*value)) return false;
    for (std::int64_t* value : {&sums.calls, &sums.most_calls, &sums.bytes, &sums.timed_calls})
        if (!in.number(*value) || *value < 0) return false;
    for (double* value : {&sums.seconds, &sums.most_seconds})
        if (!in.number(*value) || !(*value >= 0)) return false;
    return true;
}

/// Returns the sum, at most the largest number.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return a > most - b ? most : a + b;
}

/// Adds packed rows. Returns false if they are malformed.
bool merge(merged_rows& rows, const std::string& received) {
    row_reader in(received);
    while (!in.at_end()) {
        call_class which;
        call_sums more;
        if (!read_row(in, which, more)) return false;
        call_sums& sums = rows[which];
        sums.calls = sum_of(sums.calls, more.calls);
        sums.bytes = sum_of(sums.bytes, more.bytes);
        sums.timed_calls = sum_of(sums.timed_calls, more.timed_calls);
        sums.seconds += more.seconds;
        sums.most_calls = std::max(sums.most_calls, more.most_calls);
        sums.most_seconds = std::max(sums.most_seconds, more.most_seconds);
    }
    return true;
}

constexpr std::int64_t no_rows = -1;  ///< the size of rows that are malformed or too large

/// Receives the rows of a rank. Returns nothing if they are malformed.
std::optional<std::string> receive_rows(int from, MPI_Comm comm) {
    std::int64_t size = no_rows;
    PMPI_Recv(&size, 1, MPI_INT64_T, from, 0, comm, MPI_STATUS_IGNORE);
    if (size < 0 || size > most_report_bytes) return {};
    std::string received(static_cast<std::size_t>(size), '\0');
    MPI_Status status;
    int count = 0;
    PMPI_Recv(received.data(), static_cast<int>(size), MPI_CHAR, from, 1, comm, &status);
    PMPI_Get_count(&status, MPI_CHAR, &count);
    if (count != size) return {};
    return received;
}

void send_rows(const std::string& rows, bool complete, int to, MPI_Comm comm) {
    const auto bytes = static_cast<std::int64_t>(rows.size());
    const std::int64_t size = complete && bytes <= most_report_bytes ? bytes : no_rows;
    PMPI_Send(&size, 1, MPI_INT64_T, to, 0, comm);
    if (size >= 0) PMPI_Send(rows.data(), static_cast<int>(size), MPI_CHAR, to, 1, comm);
}

}  // namespace

bool merge_over_ranks(merged_rows& rows) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm comm = MPI_COMM_NULL;  // messages of the program may be unreceived; a duplicate would call its functions
    PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    bool complete = true;
    for (int distance = 1; distance < ranks; distance *= 2) {
        if ((rank & distance) != 0) {
            send_rows(packed(rows), complete, rank - distance, comm);
            break;
        }
        if (rank + distance >= ranks) continue;
        const std::optional<std::string> received = receive_rows(rank + distance, comm);
        complete = complete && received && merge(rows, *received);
    }
    PMPI_Comm_free(&comm);
    return complete;
}

}  // namespace collsched::preload
