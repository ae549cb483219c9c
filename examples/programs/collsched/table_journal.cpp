#include "table_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "collsched/collective/make_numbered.hpp"
#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/rules/write_decisions.hpp"
#include "decision_output.hpp"
#include "search_time.hpp"
#include "terminal.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

constexpr const char* cells_format = "collsched table cells";

/// Holds signals that end the program back, until a file has taken its place.
class blocked_signals {
  public:
    blocked_signals() {
        sigset_t all;
        sigemptyset(&all);
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&all, number);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    blocked_signals(const blocked_signals&) = delete;
    blocked_signals& operator=(const blocked_signals&) = delete;
    ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
};

/// Checks the cells of a journal: they must be cells of this table with rows and numbers that it could have.
class cell_check : json_reader {
  public:
    cell_check(const text_file& file, const table_request& table)
        : json_reader(file), table_(table), all_(table.cells()), reader_(file, table.list) {}

    /// Returns the description of the first line.
    std::string description(const json_value& first) const {
        check_keys(first, "the first line", {"format", "version", "description"});
        const json_value& format = needed(first, "format");
        if (text(format, "format") != cells_format)
            file_.refuse(format.line, "format", json_text(text(format, "format")), json_text(cells_format));
        integer(needed(first, "version"), "version", 1, 1);
        return text(needed(first, "description"), "description");
    }
    /// Returns a cell of this table.
    priced_cell cell(const json_value& value) const {
        const priced_cell read = reader_.cell(value);
        const auto refuse = [&](const char* argument, const std::string& found, const char* expected) {
            file_.refuse(value.line, argument, found, expected);
        };
        if (std::ranges::find(all_, read.of) == all_.end())
            refuse("cell",
                   fmt::format("{} on {} ranks, {} bytes", name_of(read.of.collective), read.of.ranks, read.of.bytes),
                   "a cell of this table");
        const choice::request request = table_.request_of(read.of);
        for (const decision& row : read.rows)
            if (!may_serve(row, request)) refuse("row", row.algorithm, "an algorithm with parameters for these calls");
        for (const priced_cell::openmpi_price& price : read.openmpi)
            if (!is_requested(price, read.of.collective))
                refuse("openmpi", std::to_string(price.number), "a number that these rules may have");
        const auto is_named = [&](const foreign_algorithm& row) {
            return row.collective == read.of.collective && read.mpich == row.foreign;
        };
        if (!read.mpich.empty() && std::ranges::none_of(mpich_algorithms, is_named))
            refuse("mpich", json_text(read.mpich), "an algorithm of MPICH for the collective");
        return read;
    }

  private:
    bool may_serve(const decision& row, const choice::request& request) const {
        const algorithm_entry* const entry =
            find_algorithm(table_.algorithms_of(row.association), row.collective, row.algorithm);
        if (entry == nullptr || row.ranks_per_node != 1) return false;
        if (entry->takes(&shape::cluster) && !request.has_cluster) return false;
        const any_schedule s = make_numbered(*entry, decided(row, request.parameters));
        return !s.check() && s.contract().commutative == row.commutative;
    }
    bool is_requested(const priced_cell::openmpi_price& price, collective what) const {
        const auto collectives = table_.openmpi_collectives_of(what);
        if (std::ranges::find(collectives, price.collective) == collectives.end()) return false;
        return std::ranges::any_of(table_.openmpi_numbers(price.collective),
                                   [&](const priced_cell::openmpi_price& number) {
                                       return number.number == price.number && number.requests == price.requests;
                                   });
    }

    const table_request& table_;
    const std::vector<priced_cell::calls> all_;
    const cell_reader reader_;
};

}  // namespace

table_journal::~table_journal() {
    if (descriptor_ >= 0) close(descriptor_);
}

void table_journal::open_file(const std::string& path, const std::string& description, const table_request& table) {
    std::error_code none;
    path_ = path;
    target_ = target_of(path);
    if (path.empty() || target_.how != output_target::way::replaced || std::filesystem::is_directory(path, none))
        throw usage_error("--out", path, "the name of a file");
    if (const std::filesystem::path* input = input_at(target_, read_files()))
        throw usage_error("--out", path, fmt::format("a file other than the input {}", input->string()));
    name_ = target_.path.string() + ".cells";
    descriptor_ = open(name_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) cannot_write("--out", name_, errno);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
        throw usage_error("--out", name_, "a file that no other program uses");
    read(description, table);
}

void table_journal::read(const std::string& description, const table_request& table) {
    text_file file = read_or_refuse("--out", [&] { return read_text_file(std::filesystem::path(name_)); });
    const std::size_t end = file.text.rfind('\n');
    const std::size_t complete = end == file.text.npos ? 0 : end + 1;
    const std::size_t cut = file.text.size() - complete;
    file.text.resize(complete);
    const cell_check check(file, table);
    bool has_first = false;
    const auto read_lines = [&] {
        json_reader(file).for_each_line([&](const json_reader::json_value& value) {
            if (has_first) return cells_.push_back(check.cell(value));
            const std::string found = check.description(value);
            if (found != description)
                throw usage_error("--out", fmt::format("{} of \"{}\"", name_, found),
                                  fmt::format("cells of \"{}\"", description));
            has_first = true;
        });
        return true;
    };
    read_or_refuse("--out", read_lines);
    if (cut > 0) {
        put_note(fmt::format("{}: {} bytes removed, a last line without an end", name_, cut));
        if (ftruncate(descriptor_, static_cast<off_t>(complete)) != 0) cannot_write("--out", name_, errno);
    }
    if (!has_first)
        write(fmt::format("{{\"format\":{},\"version\":1,\"description\":{}}}\n", json_text(cells_format),
                          json_text(description)));
}

const priced_cell* table_journal::find(const priced_cell::calls& of) const {
    const auto found =
        std::find_if(cells_.rbegin(), cells_.rend(), [&](const priced_cell& cell) { return cell.of == of; });
    return found == cells_.rend() ? nullptr : &*found;
}

bool table_journal::is_target(const std::string& output) const {
    if (!is_open()) return false;
    const output_target other = target_of(output);
    return other.path == target_.path || other.path == name_ ||
           (other.identity && other.identity == identity_of(name_));
}

void table_journal::append(const priced_cell& cell) const {
    if (descriptor_ < 0) return;
    std::string line;
    write_cell(std::back_inserter(line), cell);
    write(line);
}

void table_journal::write(const std::string& line) const {
    for (std::size_t done = 0; done < line.size();) {
        const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
        if (written < 0 && errno != EINTR) cannot_write("--out", name_, errno);
        if (written > 0) done += static_cast<std::size_t>(written);
    }
}

void table_journal::replace_table(std::span<const decision> rows, const std::string& description) const {
    if (descriptor_ < 0) return;
    std::string text, draft;
    write_decisions(std::back_inserter(text), rows, description);
    const blocked_signals held;
    std::FILE* const file = open_beside(target_, draft);
    if (file == nullptr) cannot_write("--out", path_, errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = std::fclose(file) == 0;
    if (written && closed && std::rename(draft.c_str(), target_.path.c_str()) == 0) return;
    const int error = errno;
    unlink(draft.c_str());
    cannot_write("--out", path_, error);
}

std::string with_state(const std::string& description, std::span<const priced_cell> cells, std::size_t all) {
    std::string text = description;
    if (cells.size() < all) text += fmt::format("; {} of {} cells", cells.size(), all);
    const auto cut = std::ranges::count(cells, false, &priced_cell::is_final);
    if (cut > 0) text += fmt::format("; {} of {} cells are not final, since their budget was over", cut, cells.size());
    return text;
}

std::vector<priced_cell> price_cells(const table_request& table, const table_journal& journal,
                                     const std::string& description) {
    const std::vector<priced_cell::calls> all = table.cells();
    std::vector<priced_cell> cells;
    progress_line progress;
    for (const priced_cell::calls& of : all) {
        const priced_cell* const known = journal.find(of);
        if (known != nullptr && (known->is_final || known->budget_us >= table.budget(of.ranks).count())) {
            cells.push_back(*known);
            continue;
        }
        progress.show(fmt::format("{}, {} ranks, {}: cell {} of {}", name_of(of.collective), of.ranks,
                                  bytes_text(of.bytes), cells.size() + 1, all.size()));
        std::vector<decision> neighbors;
        if (!cells.empty() && cells.back().of.collective == of.collective && cells.back().of.ranks == of.ranks &&
            cells.back().of.bits == of.bits)
            neighbors = cells.back().rows;
        const priced_cell cell = price_cell(table, of, neighbors);
        if (search_time::is_interrupted()) break;
        cells.push_back(cell);
        journal.append(cell);
        journal.replace_table(assemble(table, cells).rows, with_state(description, cells, all.size()));
    }
    if (!cells.empty()) journal.replace_table(assemble(table, cells).rows, with_state(description, cells, all.size()));
    return cells;
}
