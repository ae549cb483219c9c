"""The simulated times from which the built-in rules are made: clusters, shapes, sizes and algorithms, and a cache of times."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

# A rank has an overhead per message, and a latency and a bandwidth of its path to the memory of its node. A node has a latency and a
# bandwidth of its network adapter, which its ranks share. In microseconds and 10^6 bytes per second.
CLUSTERS = {
    "10 GbE": {"overhead": 0.5, "latency": 0.15, "bandwidth": 8000, "adapter_latency": 8, "adapter_bandwidth": 1250},
    "100 Gb/s InfiniBand": {"overhead": 0.2, "latency": 0.15, "bandwidth": 8000, "adapter_latency": 0.4, "adapter_bandwidth": 12500},
}
MODEL = "contention:eager=16384,copy_ns=0.1,combine_ns=0.1"

# Nodes and ranks per node.
SHAPES = [(2, 1), (4, 1), (6, 1), (8, 1), (16, 1), (24, 1), (64, 1),
          (1, 2), (2, 2), (4, 2), (8, 2), (12, 2), (32, 2),
          (1, 4), (2, 4), (3, 4), (4, 4), (16, 4),
          (1, 8), (2, 8), (3, 8), (8, 8), (1, 16), (1, 32),
          (64, 2), (16, 8), (64, 8)]
# Above, only collectives with few messages are simulated.
MOST_RANKS_OF_BLOCKS = 128
FEW_MESSAGES = ["barrier", "broadcast", "scatter", "gather", "reduce", "scan", "exscan"]

COMBINE = ["reduce", "allreduce", "reduce_scatter", "scan", "exscan"]
OF_BLOCKS = ["scatter", "gather", "allgather", "alltoall"]  # the size of a call is that of a block
# Powers of two: 4 bytes to 4 MiB.
MESSAGES = [2, 5, 8, 11, 14, 17, 20, 22]
SEGMENT = "segment=32768"

# Algorithms for any number of ranks; the flag: keeps the order of operands.
ALGORITHMS = {
    "barrier": ["dissemination", "dissemination:radix=4", "hierarchical", "binomial", "recursive-doubling", "linear"],
    "broadcast": ["binomial", f"binomial:{SEGMENT}", f"chain:{SEGMENT}", "linear", f"in-order-binary:{SEGMENT}", f"two-tree:{SEGMENT}",
                  "k-nomial:radix=4", "scatter-circulant", "scatter-ring", "hierarchical"],
    "scatter": ["binomial", "linear", "k-nomial:radix=4", "hierarchical"],
    "gather": ["binomial", "linear", "k-nomial:radix=4", "hierarchical"],
    "allgather": ["bruck", "circulant", "ring", "sparbit", "neighbor-exchange", "recursive-doubling", "linear", "hierarchical"],
    "reduce": ["linear", "binomial", f"binomial:{SEGMENT}", f"chain:{SEGMENT}", f"in-order-binary:{SEGMENT}", f"two-tree:{SEGMENT}",
               "rabenseifner", "hierarchical"],
    "allreduce": ["recursive-doubling", "recursive-multiplying:radix=4", "allgather-reduce", "binomial", f"binomial:{SEGMENT}",
                  f"dual-root:{SEGMENT}", f"in-order-binary:{SEGMENT}", "rabenseifner", "ring", "circulant", "swing", "hierarchical"],
    "reduce_scatter": ["recursive-halving", "pairwise", "butterfly", "circulant", "ring", "recursive-doubling", "reduce-then-scatter",
                       "hierarchical"],
    "alltoall": ["bruck", "bruck:radix=4", "linear", "pairwise", "ring", "hierarchical"],
    "scan": ["recursive-doubling", "linear", f"pipelined:{SEGMENT}", "hierarchical"],
    "exscan": ["recursive-doubling", "123-doubling", "linear", f"pipelined:{SEGMENT}", "hierarchical"],
}

# Algorithms whose brackets are canonical for every number of ranks and all parameters.
CANONICAL = {
    "reduce": ["interval-tree", "interval-halving", "interval-hierarchical"],
    "allreduce": ["interval-doubling", "interval-doubling:radix=4", "interval-doubling:radix=8", "interval-halving",
                  "interval-halving-by-dimension", "interval-halving-by-dimension:radix=4", "interval-hierarchical"],
    "reduce_scatter": ["interval-halving", "interval-hierarchical"],
    "scan": ["butterfly"],
    "exscan": ["butterfly"],
}


def sizes(collective, ranks):
    """Total sizes, as decision tables have them, as powers of two."""
    if collective == "barrier":
        return [0]
    if collective not in OF_BLOCKS + ["reduce_scatter"]:
        return MESSAGES
    up = (ranks - 1).bit_length()
    return [k for k in range(2, 33, 3) if 2 + up <= k <= 24 + up]


def cluster_file(folder, name, nodes, per_node):
    cost, path = CLUSTERS[name], Path(folder) / f"{list(CLUSTERS).index(name)}_{nodes}_{per_node}.json"
    ranks = [[f"n{node}r{rank}" for rank in range(per_node)] for node in range(nodes)]
    path.write_text(json.dumps({
        "nodes": [{"name": rank, "overhead_us": cost["overhead"], "latency_us": cost["latency"], "bandwidth_MBps": cost["bandwidth"]}
                  for node in ranks for rank in node],
        "tree": {"children": [{"name": f"n{i}", "latency_us": cost["adapter_latency"], "bandwidth_MBps": cost["adapter_bandwidth"],
                               "children": node} for i, node in enumerate(ranks)]}}))
    return path


class Simulator:
    """Simulates with the program `collsched`, and keeps times in a file if one is given."""

    def __init__(self, program, cache=None):
        self.program, self.cache, self.times = program, cache, {}
        self.folder = tempfile.TemporaryDirectory()
        self.files = {}
        if cache and os.path.exists(cache):
            for line in open(cache):
                key, time = json.loads(line)
                self.times[tuple(key)] = time

    def time(self, cluster, nodes, per_node, collective, algorithm, size):
        """The time in microseconds; None if the algorithm does not serve the shape."""
        key = (cluster, nodes, per_node, collective, algorithm, size)
        if key not in self.times:
            self.times[key] = self.simulate(*key)
            if self.cache:
                with open(self.cache, "a") as out:
                    out.write(json.dumps([key, self.times[key]]) + "\n")
        return self.times[key]

    def simulate(self, cluster, nodes, per_node, collective, algorithm, size):
        if algorithm.endswith("hierarchical") and (nodes == 1 or per_node == 1):
            return None
        if (cluster, nodes, per_node) not in self.files:
            self.files[cluster, nodes, per_node] = cluster_file(self.folder.name, cluster, nodes, per_node)
        name, *parameters = algorithm.split(":")
        words = [word for one in parameters for word in ("--" + one.split("=")[0], one.split("=")[1])]
        if collective != "barrier":
            words += ["--bytes", str(1 << size), "--element", "4"]
        done = subprocess.run([self.program, "simulate", f"{collective}/{name}", "--ranks", str(nodes * per_node), *words, "--cluster",
                               self.files[cluster, nodes, per_node], "--model", MODEL, "--json"], text=True, capture_output=True)
        if done.returncode == 2 and done.stderr.startswith("collsched: --placement["):
            return None  # nodes that are not aligned
        if done.returncode != 0:
            raise SystemExit(f"{collective}/{algorithm}, {nodes} nodes, {per_node} ranks per node, 2^{size} bytes: {done.stderr}")
        return json.loads(done.stdout)["completion_us"]


def cells(collective, shapes=None):
    """The shapes and sizes of a collective, of all shapes or of those given."""
    for nodes, per_node in shapes or SHAPES:
        if nodes * per_node > MOST_RANKS_OF_BLOCKS and collective not in FEW_MESSAGES:
            continue
        for size in sizes(collective, nodes * per_node):
            yield nodes, per_node, size


def keeping_order(program):
    """The algorithms, as (collective, name), that keep the order of operands."""
    out = subprocess.run([program, "list", "--json"], text=True, capture_output=True, check=True).stdout
    return {tuple(one["name"].split("/")) for one in map(json.loads, out.splitlines()) if not one["commutative"]}
