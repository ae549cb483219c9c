#include "collsched/format/schedules/detail/msccl_thread_blocks.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include <fmt/format.h>

#include "support/msccl_loader.hpp"

using namespace collsched;

namespace {

struct sizes {
    std::int64_t ranks = 2, blocks = 1, peers = 0, steps = 1, chunks = 1, awaited = 1, combined = 0;
};

std::string step_text(std::int64_t k, const char* type, std::int64_t offset, std::int64_t waits_for, bool waited_for) {
    return fmt::format(
        "<step s=\"{}\" type=\"{}\" srcbuf=\"s\" srcoff=\"{}\" dstbuf=\"s\" dstoff=\"{}\" cnt=\"1\" "
        "depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>",
        k, type, offset, offset, waits_for, waits_for < 0 ? -1 : 0, waited_for ? 1 : 0);
}

/// A program of these sizes: rank 0 copies, combines, and sends to peers.
std::string program_of(const sizes& s, detail::msccl_loader loader) {
    std::string text = fmt::format(
        "<algo name=\"a\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"1\" ngpus=\"{}\" "
        "coll=\"allreduce\" inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"{}\">",
        s.ranks, detail::msccl_limits(loader).most_bytes);
    for (std::int64_t r = 0; r < s.ranks; ++r) {
        text += fmt::format("<gpu id=\"{}\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"{}\">", r, s.chunks);
        for (std::int64_t b = 0; r == 0 && b < s.blocks; ++b) {
            text += fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"-1\" chan=\"0\">", b, b < s.peers ? b + 1 : -1);
            if (b < s.peers) text += step_text(0, "s", 0, -1, false);
            else if (s.combined > 0)
                for (std::int64_t k = 0; k < s.combined; ++k) text += step_text(k, "re", 0, -1, false);
            else
                for (std::int64_t k = 0; k < s.steps; ++k)
                    text += step_text(k, "cpy", s.chunks - 1, b == 0 ? s.awaited - 1 : -1, true);
            text += "</tb>";
        }
        text += "</gpu>";
    }
    return text + "</algo>";
}

bool loads(const sizes& s, detail::msccl_loader loader) {
    pugi::xml_document file;
    REQUIRE(file.load_string(program_of(s, loader).c_str()));
    using library = support::msccl_loader::library;
    return support::msccl_loader(loader == detail::msccl_loader::rccl ? library::rccl : library::msccl)
        .reject(file, 0, static_cast<int>(s.ranks))
        .empty();
}

}  // namespace

TEST_CASE("limits: a program at each of them is loaded, one beyond is not") {
    for (const detail::msccl_loader loader : {detail::msccl_loader::msccl, detail::msccl_loader::rccl}) {
        const detail::msccl_limits limits(loader);
        const auto check = [&](const char* name, std::int64_t limit, const std::function<sizes(std::int64_t)>& with) {
            CAPTURE(name);
            CHECK(loads(with(limit), loader));
            CHECK(!loads(with(limit + 1), loader));
        };
        check("ranks", detail::msccl_limits::ranks, [](std::int64_t n) { return sizes{.ranks = n}; });
        check("steps", limits.steps, [](std::int64_t n) { return sizes{.steps = n}; });
        check("thread blocks", limits.thread_blocks, [](std::int64_t n) { return sizes{.blocks = n}; });
        check("peers", detail::msccl_limits::peers,
              [](std::int64_t n) { return sizes{.ranks = 60, .blocks = n, .peers = n}; });
        check("awaited", detail::msccl_limits::awaited,
              [](std::int64_t n) { return sizes{.blocks = 200, .awaited = n}; });
        check("offset", detail::msccl_limits::offset + 1, [](std::int64_t n) { return sizes{.chunks = n}; });
        check("buffer", detail::msccl_limits::buffer, [](std::int64_t n) { return sizes{.peers = 1, .chunks = n}; });
        check("fused", detail::msccl_limits::fused, [](std::int64_t n) { return sizes{.combined = n}; });
        // The program, its ranks, 100 thread blocks of 30 steps.
        check("nodes", detail::msccl_limits::xml_nodes,
              [](std::int64_t n) { return sizes{.ranks = n - 1 - 100 - 100 * 30, .blocks = 100, .steps = 30}; });
    }
}
