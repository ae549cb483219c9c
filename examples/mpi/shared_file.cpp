#include "shared_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "native_mpi.hpp"
#include "wish.hpp"

namespace collsched::preload {

namespace {

constexpr std::int64_t most_file_bytes = std::int64_t{1} << 26;
constexpr std::int64_t no_file = -1, wrong_file = -2;

/// Returns the text of a file; throws input_error.
text_file bounded_file(const std::string& path, const char* noun) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > static_cast<std::uintmax_t>(most_file_bytes))
        throw input_error(
            {"size", std::to_string(size), "at most " + std::to_string(most_file_bytes) + " bytes", path});
    if (!error && !std::filesystem::is_regular_file(path, error)) throw input_error({"", "no file", noun, path});
    return read_text_file(std::filesystem::path(path));
}

/// Returns whether f() succeeds; prints its input_error.
template <class F>
bool succeeds(const char* variable, F f) {
    try {
        f();
        return true;
    } catch (const input_error& mistake) {
        print_line(std::string(variable) + ": " + mistake.what());
        return false;
    }
}

}  // namespace

bool share_file(const char* variable, const char* noun, const std::function<void(const text_file&)>& parse) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* path = std::getenv(variable);
    text_file file{.name = variable, .text = {}};
    std::int64_t size = no_file;
    if (rank == 0 && path != nullptr && *path != '\0') {
        const bool read = succeeds(variable, [&] { parse(file = bounded_file(path, noun)); });
        size = read ? static_cast<std::int64_t>(file.text.size()) : wrong_file;
    }
    PMPI_Bcast(&size, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (size == wrong_file) end_with_mistake();
    if (size == no_file) return false;
    if (size < 0 || size > most_file_bytes)
        refuse(variable, std::to_string(size) + " bytes", "0 to " + std::to_string(most_file_bytes) + " bytes");
    file.text.resize(static_cast<std::size_t>(size));
    PMPI_Bcast(file.text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank != 0 && !succeeds(variable, [&] { parse(file); })) end_with_mistake();  // another version on this rank
    return true;
}

}  // namespace collsched::preload
