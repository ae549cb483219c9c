#pragma once

#include <optional>
#include <string>
#include <utility>

#include "collsched/format/pictures/write_network_svg.hpp"
#include "collsched/topology/network.hpp"
#include "options.hpp"
#include "usage_error.hpp"

/// Returns a name for texts: on one line, with control characters escaped.
std::string printable_name(const std::string& name);

/// A network, and the file that describes it.
struct read_network_file {
    collsched::topology::network net;
    std::string path;
    std::string option{"--network"};  ///< option that errors of the network name: the last one that changed it

    /// Returns the name of the file without folder and extension.
    std::string name() const;
    /// Returns the name of a vertex: that of the file, or "r3" for rank 3 and "s0" for the first switch.
    std::string vertex(collsched::rank_t v) const;
    /// Returns the name of a vertex for texts, with control characters escaped.
    std::string shown(collsched::rank_t v) const;
    /// Removes the links and vertices of an option's list: "a>b" is all links from a to b, "c" is the vertex c. Names may
    /// contain commas and `>`: the longest name that fits is taken. Throws usage_error for an unknown name, and if no
    /// rank is left.
    void remove(const std::string& by, const std::string& list);
    /// Writes a picture. Throws usage_error for networks with more than 1024 vertices.
    void draw(const std::string& by, const std::string& path, const collsched::network_marks& marks) const;
    /// Returns two vertices whose links have different bandwidths in the two directions, if there are any.
    std::optional<std::pair<collsched::rank_t, collsched::rank_t>> one_way() const;
    /// Throws usage_error if there are such vertices: an allreduce uses one forest in both directions.
    void refuse_one_way() const;
    /// Returns the error of a function of this network, with the name of the vertex if it has one.
    usage_error mistake(const collsched::argument_error& error) const;
};

/// The options --network and --without.
class network_option {
  public:
    explicit network_option(CLI::App& command);
    /// Returns whether --network is given. Throws usage_error for --without alone.
    bool given() const;
    /// Reads the file, and removes the links and vertices of --without. Throws usage_error for a missing option, and for
    /// a malformed file.
    read_network_file read() const;
    /// Returns the given options, with the name of the file without its folder: " --network net.json --without a>b".
    std::string text() const;

  private:
    text_option file_, without_;
};
