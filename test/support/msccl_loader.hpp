#pragma once

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <pugixml.hpp>

namespace support {

/// The loaders of MSCCL programs, written from their sources: MSCCL's (xml.cc, topo.cc, msccl.h) and RCCL's (msccl_parser.cc,
/// msccl_struct.h). Besides the programs that these reject, they must not be made to write beyond their arrays,
/// nor to store a number in a type that cannot hold it, nor to combine in another way than the steps.
class msccl_loader {
  public:
    enum class library { msccl, rccl };

    explicit msccl_loader(library which) : rccl_(which == library::rccl) {}

    /// Returns "" if a rank of a communicator of this size loads the program, else the error.
    std::string reject(const pugi::xml_document& file, int rank, int ranks) {
        why_.clear();
        const pugi::xml_node algo = file.child("algo");
        check_attributes(algo);
        check_head(algo, ranks);
        int nodes = 1, gpus = 0;
        for (const pugi::xml_node gpu : algo.children("gpu")) {
            check_attributes(gpu);
            ++nodes;
            ++gpus;
            if (number(gpu, "id") == rank) nodes += load(gpu, rank, ranks);
        }
        require(gpus <= 1024, "children of the program");
        require(nodes < 4096, "XML nodes");  // each closing tag reads into one more
        return why_;
    }

    /// The connections of the rank that was loaded last: true for those to a receiver, the peer, the channel.
    const std::set<std::tuple<bool, int, int>>& connections() const { return connections_; }

  private:
    void require(bool holds, const char* what) {
        if (!holds && why_.empty()) why_ = what;
    }
    long number(const pugi::xml_node& node, const char* name) {
        require(!node.attribute(name).empty(), name);
        const long value = std::strtol(node.attribute(name).value(), nullptr, 0);
        require(value == static_cast<int>(value), "an int");
        return value;
    }

    void check_attributes(const pugi::xml_node& node) {
        int count = 0;
        for (const pugi::xml_attribute one : node.attributes()) {
            require(std::string_view(one.name()).size() <= 255, "the length of a name");
            require(std::string_view(one.value()).size() <= 255, "the length of a value");
            ++count;
        }
        require(count <= 16, "attributes");
    }

    void check_head(const pugi::xml_node& algo, int ranks) {
        require(number(algo, "ngpus") == ranks, "ngpus");
        require(algo.attribute("proto").value() == std::string_view("Simple"), "proto");
        chunks_ = number(algo, "nchunksperloop");
        channels_ = number(algo, "nchannels");
        require(channels_ >= 1 && channels_ <= 32, "nchannels");
        const long long least = std::strtoll(algo.attribute("minBytes").value(), nullptr, 0);
        const long long most = std::strtoll(algo.attribute("maxBytes").value(), nullptr, 0);
        require(least >= 0 && least <= most, "minBytes");
        require(rccl_ ? most == 0 : most > (1LL << 50), "maxBytes, which here stands for any size");
        number(algo, "inplace");
        if (rccl_) number(algo, "outofplace");
        coll_ = algo.attribute("coll").value();
        const char* const reduce_scatter = rccl_ ? "reducescatter" : "reduce_scatter";
        require(
            std::set<std::string>{"broadcast", "reduce", "allgather", "allreduce", "alltoall", reduce_scatter}.contains(
                coll_),
            "coll");
    }

    /// The number of nodes of an element.
    int load(const pugi::xml_node& gpu, int rank, int ranks) {
        connections_.clear();
        room_ = {{'i', number(gpu, "i_chunks")}, {'o', number(gpu, "o_chunks")}, {'s', number(gpu, "s_chunks")}};
        require(room_['s'] >= 0, "s_chunks");
        if (!rccl_) {
            require(room_['i'] <= 0 || room_['i'] * (coll_ == "allgather" ? ranks : 1) == chunks_, "i_chunks");
            require(room_['o'] <= 0 || room_['o'] * (coll_ == "reduce_scatter" ? ranks : 1) == chunks_, "o_chunks");
        }
        int nodes = 0, blocks = 0;
        std::map<std::pair<bool, long>, int> peers;  // of each direction and channel
        for (const pugi::xml_node tb : gpu.children("tb")) {
            check_attributes(tb);
            require(number(tb, "id") == blocks++, "ids of thread blocks without gaps");
            const long send = number(tb, "send"), recv = number(tb, "recv"), channel = number(tb, "chan");
            require(channel >= 0 && channel < channels_, "chan");
            for (const long peer : {send, recv}) require(peer >= -1 && peer < ranks && peer != rank, "peers");
            if (send >= 0) {
                ++peers[{true, channel}];
                require(connections_.emplace(true, send, channel).second, "one thread block per connection");
            }
            if (recv >= 0) {
                ++peers[{false, channel}];
                require(connections_.emplace(false, recv, channel).second, "one thread block per connection");
            }
            nodes += 1 + load_steps(tb, send >= 0, recv >= 0);
        }
        require(blocks <= (rccl_ ? 1024 : 216), "thread blocks");
        for (const auto& [where, count] : peers) require(count <= 32, "peers per channel");
        return nodes;
    }

    int load_steps(const pugi::xml_node& tb, bool sends, bool receives) {
        int steps = 0, waits = 0;
        std::tuple<std::string, std::string, long> run;  // from, into, and where of the combinations that become one
        int fused = 0;
        long run_count = 0;
        for (const pugi::xml_node step : tb.children("step")) {
            check_attributes(step);
            require(number(step, "s") == steps++, "steps without gaps");
            const std::string type = step.attribute("type").value();
            const long block = number(step, "depid"), hasdep = number(step, "hasdep");
            require(block == static_cast<signed char>(block) && block >= -1, "depid");
            require(number(step, "deps") == static_cast<short>(number(step, "deps")), "deps");
            require(hasdep == 0 || hasdep == 1, "hasdep");
            if (block >= 0) ++waits;
            if (type == "nop") {
                require(block >= 0, "a step that does nothing must wait");
                continue;
            }
            require(waits == 0 || block >= 0, "an operation after steps that wait must wait itself");
            waits = 0;
            load_operation(step, type, sends, receives);
            const std::tuple<std::string, std::string, long> place{
                step.attribute("srcbuf").value(), step.attribute("dstbuf").value(), number(step, "dstoff")};
            const bool goes_on = type == "re" && fused > 0 && place == run && block < 0;
            if (goes_on) require(number(step, "cnt") == run_count, "combinations of one size in one");
            const int length = type == "re" ? (goes_on ? fused : 0) + 1 : 0;
            require(length <= 16, "combinations in one");
            fused = hasdep == 1 ? 0 : length;
            run = place;
            run_count = number(step, "cnt");
        }
        require(steps <= (rccl_ ? 64 : 256), "steps");
        return steps;
    }

    void load_operation(const pugi::xml_node& step, const std::string& type, bool sends, bool receives) {
        require(std::set<std::string>{"s", "r", "rrc", "cpy", "re"}.contains(type), "type");
        require(type != "s" || sends, "a send without a receiver");
        require((type != "r" && type != "rrc") || receives, "a receive without a sender");
        require(number(step, "cnt") > 0 && number(step, "cnt") < 72, "cnt");
        for (const char* const side : {"src", "dst"}) {
            const std::string buffer = step.attribute((std::string(side) + "buf").c_str()).value();
            require(buffer == "i" || buffer == "o" || buffer == "s", "a buffer");
            const long offset = number(step, (std::string(side) + "off").c_str());
            require(offset == static_cast<short>(offset) && offset >= -1, "an offset");
            if (type == "rrc" || (type == "s" && side[0] == 'd') || (type == "r" && side[0] == 's')) continue;
            require(!buffer.empty() && offset < room_[buffer[0]], "an offset within the buffer");
        }
    }

    bool rccl_;
    std::string why_, coll_;
    long chunks_ = 0, channels_ = 0;
    std::map<char, long> room_;
    std::set<std::tuple<bool, int, int>> connections_;
};

}  // namespace support
