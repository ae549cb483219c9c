#pragma once

#include <string>

#include "collsched/format/write_network_svg.hpp"
#include "collsched/topology/network.hpp"
#include "options.hpp"
#include "usage_error.hpp"

/// A network, and the file that describes it.
struct read_network_file {
    collsched::topology::network net;
    std::string path;

    /// Returns the name of the file without folder and extension.
    std::string name() const;
    /// Returns the name of a vertex: that of the file, or "r3" for rank 3 and "s0" for the first switch.
    std::string vertex(collsched::rank_t v) const;
    /// Returns the vertex of this name, or -1.
    collsched::rank_t find(const std::string& name) const;
    /// Removes the links and vertices of an option's list: "a>b" is all links from a to b, "c" is the vertex c. Throws
    /// usage_error for an unknown name, and if no rank is left.
    void remove(const std::string& option, const std::string& list);
    /// Writes a picture. Throws usage_error for networks with more than 1024 vertices.
    void draw(const std::string& option, const std::string& path, const collsched::network_marks& marks) const;
    /// Returns the error of a function of this network, with the name of the vertex if it has one.
    usage_error mistake(const collsched::argument_error& error) const;
};

/// The option --network.
class network_option {
  public:
    explicit network_option(CLI::App& command);
    bool given() const { return file_.given(); }
    /// Reads the file. Throws usage_error for a missing option, and for a malformed file.
    read_network_file read() const;

  private:
    text_option file_;
};
