"""What the BUILD files share: the warnings, the line of layers, and the rules for tests and examples."""

# For our own sources. Libraries of the system are system headers and stay silent.
COPTS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wshadow",
    "-Werror",
]

# The same for programs in C.
C_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
]

# Each layer may include itself and the layers before it.
LAYERS = [
    "core",
    "schedule",
    "combine",
    "topology",
    "cost",
    "tree",
    "collective",
    "verify",
    "simulate",
    "select",
    "execute",
    "group",
    "format",
]

# These must compile without exceptions and run-time types; with them, their tests do.
_FREESTANDING = LAYERS[:LAYERS.index("verify") + 1]

_MPIS = ["openmpi", "mpich"]

# Libraries that headers need, by layer, folder or header.
_HEADER_DEPS = {
    "execute/tcp": ["//:tcp"],
    "format": ["//:format", "//:range_v3", "@nlohmann_json", "@pugixml", "@yaml_cpp"],
    "range_v3": ["//:range_v3"],
    "select": ["//:range_v3"],
    "simulate": ["//:range_v3"],
    "topology": ["@glpk"],
}

def _source_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".cpp")
    ctx.actions.write(out, ctx.attr.content)
    return [DefaultInfo(files = depset([out]))]

_source = rule(
    doc = "A source file with the given content.",
    implementation = _source_impl,
    attrs = {"content": attr.string(mandatory = True)},
)

def joined(name, srcs, parts = 1):
    """The sources of one program as a few, so that what they include and instantiate is compiled once.

    Args:
      name: of the library that brings the sources to the program's deps.
      srcs: files of this package. Names in their unnamed namespaces differ.
      parts: how many sources become of them.

    Returns:
      the few, for the program's srcs.
    """
    native.cc_library(
        name = name,
        textual_hdrs = srcs,
    )
    for part in range(parts):
        _source(
            name = "%s_%d" % (name, part),
            content = "".join(["#include \"%s/%s\"\n" % (native.package_name(), src) for src in srcs[part::parts]]),
            tags = ["manual"],
        )
    return ["%s_%d" % (name, part) for part in range(parts)]

def _build_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "#!/bin/sh\nexit 0\n", is_executable = True)
    objects = [target[OutputGroupInfo].compilation_outputs for target in ctx.attr.targets]
    return [DefaultInfo(
        executable = script,
        runfiles = ctx.runfiles(transitive_files = depset(transitive = objects)),
    )]

build_test = rule(
    doc = "Passes when its cc_library targets compile.",
    implementation = _build_test_impl,
    attrs = {"targets": attr.label_list(providers = [CcInfo])},
    test = True,
)

def static_proof(name, srcs, deps = [], copts = [], tags = ["static_proof"]):
    """Passes when the sources compile: their static assertions are the test."""
    native.cc_library(
        name = name + "_objects",
        testonly = True,
        srcs = srcs,
        copts = COPTS + copts,
        linkstatic = True,
        tags = ["manual"],
        deps = ["//:collsched"] + deps,
    )
    build_test(
        name = name,
        size = "small",
        tags = tags,
        targets = [name + "_objects"],
    )

def header_tests(name, headers):
    """Every header compiles alone, and twice; one build action a header, one test a layer, and one for the umbrellas.

    Args:
      name: of the suite of all these tests.
      headers: paths from the top of the tree, include/collsched/<layer>/<header>.hpp.
    """
    layers = {}
    folders = {header.rpartition("/")[0]: True for header in headers}
    for header in headers:
        path = header[len("include/"):]
        stem = path[len("collsched/"):-len(".hpp")]
        layer = stem.split("/")[0]
        _source(
            name = "headers/" + stem,
            content = "#include <%s>\n#include <%s>\n" % (path, path),
            tags = ["manual"],
        )
        deps = [dep for place in _HEADER_DEPS if (stem + "/").startswith(place + "/") for dep in _HEADER_DEPS[place]]
        variants = [("", deps)]
        if stem in ["execute/mpi", "group/mpi"]:
            variants = [("_" + mpi, ["@%s//:mpi" % mpi]) for mpi in _MPIS]
        for suffix, deps in variants:
            native.cc_library(
                name = "headers/%s%s_object" % (stem, suffix),
                srcs = ["headers/" + stem],
                copts = COPTS + (["-fno-exceptions", "-fno-rtti"] if layer in _FREESTANDING else []),
                linkstatic = True,
                tags = ["manual"],
                deps = ["//:collsched"] + deps,
            )
            group = "umbrellas" if header[:-len(".hpp")] in folders else layer + "_headers"
            layers.setdefault(group, []).append("headers/%s%s_object" % (stem, suffix))
    for group, targets in layers.items():
        build_test(
            name = group,
            size = "small",
            tags = ["umbrellas" if group == "umbrellas" else "headers"],
            targets = targets,
        )
    native.test_suite(
        name = name,
        tags = ["manual"],  # else the wildcard brings in what a tag leaves out
        tests = layers.keys(),
    )

# So many sources of a test are compiled as one: together they take less than half as long, and more would be too much memory.
_BATCH = 15

_TEST_DEPS = [
    "//:collsched",
    "//:format",
    "//:range_v3",
    "@doctest",
    "@glpk",
    "@nlohmann_json",
    "@pugixml",
    "@yaml_cpp",
]

def doctest_test(name, srcs, alone = [], tags = [], deps = [], support = "//test:support", **kwargs):
    """One program of doctest cases, whose main function is test/main.cpp; <name>_compiles, its static assertions alone; and a
    program for each source, called as that without its extension, which only `./dev test` asks for.

    Args:
      name: of the test.
      srcs: its sources, each of which stands in a namespace of its own when they are compiled, in batches.
      alone: sources that are not in a batch, because they define what must be in no namespace.
      tags: of the test, beside `unit`; with `static_proof` it is <name>_compiles that has it. With `proved` the test is not for
        the address sanitizer, and <name>_compiles, which then compiles it a second time, for the run of the sweeps alone. With
        neither `proved` nor `both` the test is `sanitized`: with g++ in `./dev test` and in the run of the sweeps.
      deps: beside those of all these tests.
      support: the library of their helpers.
      **kwargs: of the test.
    """
    sanitized = [] if "proved" in tags or "both" in tags else ["sanitized"]
    deps = _TEST_DEPS + [support] + deps
    batches = []
    for first in range(0, len(srcs), _BATCH):
        batch = "%s_batches/%d" % (name, first // _BATCH)
        batches.append(batch + ".cpp")
        native.genrule(
            name = batch,
            testonly = True,
            srcs = srcs[first:first + _BATCH],
            outs = [batch + ".cpp"],
            cmd = "$(location //test:batch.py) $(SRCS) >$@",
            tags = ["manual"],
            exec_tools = ["//test:batch.py"],
        )
    native.cc_library(
        name = name + "_objects",
        testonly = True,
        srcs = batches + alone,
        copts = COPTS,
        linkstatic = True,
        tags = ["manual"],
        deps = deps,
        alwayslink = True,
    )
    if "static_proof" in tags:
        build_test(
            name = name + "_compiles",
            size = "small",
            tags = ["static_proof"] + sanitized + (["sweeps"] if "proved" in tags else []),
            targets = [name + "_objects"],
        )
    native.cc_test(
        name = name,
        linkopts = ["-pthread"],
        linkstatic = True,
        tags = ["unit"] + [tag for tag in tags if tag != "static_proof"] + sanitized,
        deps = [
            name + "_objects",
            "//test:main",
        ],
        **kwargs
    )
    for src in srcs:
        native.cc_test(
            name = src[:-len(".cpp")],
            srcs = [src] + alone,
            copts = COPTS,
            linkopts = ["-pthread"],
            linkstatic = True,
            tags = ["manual"],
            deps = deps + ["//test:main"],
            **kwargs
        )

def compile_fail_test(name, src, deps = []):
    """Passes when the compiler refuses src with a message that matches its first line, `// expect: <regex>`."""
    native.sh_test(
        name = name,
        size = "small",
        srcs = ["//test:compile_fail.py"],
        args = ["$(CC)", "$(location %s)" % src],
        data = [src, "//:headers", "//test:support_headers"] + deps,
        tags = ["static_proof"],
        toolchains = ["@bazel_tools//tools/cpp:current_cc_toolchain"],
    )

def mpi_binary(name, srcs, deps = [], **kwargs):
    """One program for each MPI: <name>_openmpi and <name>_mpich."""
    for mpi in _MPIS:
        native.cc_binary(
            name = "%s_%s" % (name, mpi),
            srcs = srcs,
            copts = COPTS,
            linkopts = ["-pthread"],
            deps = ["//:collsched", "@%s//:mpi" % mpi] + deps,
            **kwargs
        )

def _mpi_run(name, program, mpi, ranks, script, args = [], data = [], tags = []):
    native.sh_test(
        name = name,
        size = "medium",  # more ranks than cores
        srcs = [script],
        args = args + [mpi, str(ranks), "$(location %s)" % program],
        data = [program] + data,
        tags = ["exclusive", "mpi"] + tags,
    )

def mpi_test(name, srcs, ranks = [2, 5, 8], sweep_ranks = [16], deps = [], data = []):
    """Builds a program for each MPI and runs it on each number of ranks; it fails by its exit status.

    Args:
      name: the tests are <name>_openmpi_2 and so on.
      srcs: sources of the program.
      ranks: numbers of ranks.
      sweep_ranks: those of the run of the sweeps alone.
      deps: beside the library and the helpers of the tests.
      data: files that the program reads.
    """
    mpi_binary(name, srcs, ["//test:support"] + deps, testonly = True)
    for mpi in _MPIS:
        for n in ranks + sweep_ranks:
            _mpi_run(
                name = "%s_%s_%d" % (name, mpi, n),
                program = "%s_%s" % (name, mpi),
                mpi = mpi,
                ranks = n,
                script = "//test:run_mpi.sh",
                data = data,
                tags = ["sweeps"] if n in sweep_ranks else [],
            )

def example(name, deps = []):
    """The program of <name>.cpp, and a test that compares what it prints with <name>.golden.

    One whose name begins with mpi_ is built for each MPI and runs on five ranks.

    Args:
      name: of the program.
      deps: beside the library.
    """
    golden = native.glob([name + ".golden"])
    golden_path = "%s/%s.golden" % (native.package_name(), name)
    if name.startswith("mpi_"):
        mpi_binary(name, [name + ".cpp"], ["//:format", "//:range_v3"] + deps)
        for mpi in _MPIS:
            _mpi_run(
                name = "%s_%s_golden" % (name, mpi),
                program = "%s_%s" % (name, mpi),
                mpi = mpi,
                ranks = 5,
                script = "//test:golden.sh",
                args = [golden_path, "$(location //test:run_mpi.sh)"],
                data = golden + ["//test:run_mpi.sh"],
            )
        return
    native.cc_binary(
        name = name,
        srcs = [name + ".cpp"],
        copts = COPTS,
        linkopts = ["-pthread"],
        deps = ["//:collsched", "//:format", "//:range_v3"] + deps,
    )
    native.sh_test(
        name = name + "_golden",
        size = "small",
        srcs = ["//test:golden.sh"],
        args = [golden_path, "$(location %s)" % name],
        data = [name] + golden,
    )
