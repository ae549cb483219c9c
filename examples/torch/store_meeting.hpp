#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "collsched/format/rules/read_decisions.hpp"
#include "group.hpp"
#include "process_link.hpp"
#include "tcp_link.hpp"

namespace examples {

/// How the ranks of a group meet: they exchange names, addresses and the key of the group through its store and in no
/// other way. Programs that can read the store have the key.
/// Environment, of every rank:
///   COLLSCHED_TORCH_TRANSPORT  "processes", "tcp", or empty: processes if all ranks share /dev/shm
///   COLLSCHED_TORCH_ADDRESS    address of this node for TCP; empty: 127.0.0.1, and other nodes cannot connect
///   COLLSCHED_TABLE            path of a decision table, which rank 0 reads; empty: built-in rules
class store_meeting {
  public:
    store_meeting(c10d::Store& store, rank_t rank, rank_t ranks, std::chrono::milliseconds patience)
        : store_(&store), rank_(rank), ranks_(ranks), patience_(patience) {}

    std::unique_ptr<rank_group> group() {
        schedule_choice choice{.table = table()};
        const bool spare = ranks_ <= ::sysconf(_SC_NPROCESSORS_ONLN);
        choice.segment = (spare ? 64 : 256) * schedule_choice::kib;
        std::unique_ptr<group_link> link;
        if (ranks_ > 1 && uses_processes()) link = processes(choice.segment);
        else if (ranks_ > 1) link = tcp();
        else link = std::make_unique<process_link>(unique_name(), 1, 0, patience_);
        return std::make_unique<rank_group>(std::move(link), ranks_, rank_, std::move(choice), spare);
    }

  private:
    static std::string variable(const char* name) {
        const char* const value = std::getenv(name);
        return value == nullptr ? "" : value;
    }
    void put(const std::string& key, const std::string& text) { store_->set(key, {text.begin(), text.end()}); }
    std::string get(const std::string& key) {
        const std::vector<std::uint8_t> bytes = store_->get(key);
        return {bytes.begin(), bytes.end()};
    }
    /// Gives every rank the text of every rank.
    std::vector<std::string> exchange(const std::string& key, const std::string& own) {
        put(key + std::to_string(rank_), own);
        std::vector<std::string> all;
        for (rank_t r = 0; r < ranks_; ++r) all.push_back(get(key + std::to_string(r)));
        return all;
    }
    static std::string unique_name() {
        std::random_device random;
        std::string name = "/collsched-torch-";
        for (int i = 0; i < 16; ++i) name += "0123456789abcdef"[random() % 16];
        return name;
    }
    static std::string failure_of(const std::string& what, int error) {
        return what + ": " + std::generic_category().message(error);
    }

    /// Identity of the shared memory that this process can open.
    static std::string place() {
        struct stat found{};
        if (::stat("/dev/shm", &found) != 0) return "none";
        std::string boot;
        std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
        return boot + " " + std::to_string(found.st_dev) + " " + std::to_string(found.st_ino) + " " +
               std::to_string(::geteuid());
    }
    bool uses_processes() {
        const std::string wish = variable("COLLSCHED_TORCH_TRANSPORT");
        if (!wish.empty() && wish != "processes" && wish != "tcp")
            throw std::invalid_argument("COLLSCHED_TORCH_TRANSPORT: got " + wish + ", expected processes or tcp");
        const std::vector<std::string> all = exchange("transport", wish + " " + place());
        const bool same = std::ranges::all_of(all, [&](const std::string& one) { return one == all.front(); });
        if (wish == "processes" && !same)
            throw std::invalid_argument("COLLSCHED_TORCH_TRANSPORT: got processes, expected ranks that share /dev/shm");
        return wish != "tcp" && same;
    }

    std::unique_ptr<group_link> processes(bytes_t segment) {
        if (rank_ == 0) put("name", unique_name());
        const std::string name = get("name");
        const auto own = [&](rank_t r) { return name + "-" + std::to_string(r); };
        auto link = std::make_unique<process_link>(name, ranks_, rank_, patience_);
        const bytes_t size = (2 * ranks_ + 1) * slots_of(segment);
        const auto each =
            exchange("window", text_of(link->windows()[static_cast<std::size_t>(rank_)].make(own(rank_), size)));
        std::string failure;
        for (rank_t r = 0; r < ranks_; ++r) {
            if (each[static_cast<std::size_t>(r)] != "0") failure = "window: " + each[static_cast<std::size_t>(r)];
            else if (r != rank_)
                if (const int error = link->windows()[static_cast<std::size_t>(r)].open(own(r), size); error != 0)
                    failure = failure_of("window", error);
        }
        const auto opened = exchange("opened", failure);
        ::shm_unlink(own(rank_).c_str());
        for (const std::string& one : opened)
            if (!one.empty()) throw std::runtime_error(one);
        link->connect_windows();
        return link;
    }
    static bytes_t slots_of(bytes_t segment) { return staged::slots::rounded(segment + 64); }
    static std::string text_of(int error) { return error == 0 ? "0" : std::generic_category().message(error); }

    std::unique_ptr<group_link> tcp() {
        const std::string wish = variable("COLLSCHED_TORCH_ADDRESS"), host = wish.empty() ? "127.0.0.1" : wish;
        auto link = std::make_unique<tcp_link>(rank_, host, tcp_transport::options{.key = key()});
        link->connect(exchange("address", link->address()), patience_);
        return link;
    }

    /// Rank 0 draws the key of the group.
    tcp_transport::key key() {
        std::array<std::byte, 32> drawn{};
        if (rank_ == 0) {
            if (::getentropy(drawn.data(), drawn.size()) != 0)
                throw std::system_error(errno, std::generic_category(), "drawing the key of the group");
            put("key", {reinterpret_cast<const char*>(drawn.data()), drawn.size()});
        } else {
            const std::string sent = get("key");
            if (sent.size() != drawn.size())
                throw std::runtime_error("key: got " + std::to_string(sent.size()) + " bytes in the store, expected " +
                                         std::to_string(drawn.size()));
            std::memcpy(drawn.data(), sent.data(), drawn.size());
        }
        return tcp_transport::key(drawn);
    }

    std::vector<decision> table() {
        if (rank_ == 0) {
            const std::string path = variable("COLLSCHED_TABLE");
            put("table", path.empty() ? "" : "+" + read_text_file(std::filesystem::path(path)).text);
        }
        const std::string text = get("table");
        if (text.empty()) return {};
        return read_decisions(text_file{"COLLSCHED_TABLE", text.substr(1)}, compiled::whole_registry());
    }

    c10d::Store* store_;
    rank_t rank_, ranks_;
    std::chrono::milliseconds patience_;
};

}  // namespace examples
