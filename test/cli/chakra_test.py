#!/usr/bin/env -S python3 -B
"""chakra_test.py PROGRAM: the traces of `show --chakra`, decoded by protobuf with the schema of Chakra, have the messages of
`show --json`, one by one, and each send has one receive with the same source, target, tag and size."""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

program = sys.argv[1]
NUMBERS = {"string": 9, "uint64": 4, "int64": 3, "int32": 5, "bool": 8}
SCHEMA = {
    "AttributeProto": {"name": (1, "string"), "int32_val": (7, "int32"), "int64_val": (9, "int64"), "bool_val": (27, "bool")},
    "GlobalMetadata": {"version": (1, "string"), "attr": (2, "AttributeProto", True)},
    "Node": {"id": (1, "uint64"), "name": (2, "string"), "type": (3, "int32"), "ctrl_deps": (4, "uint64", True),
             "data_deps": (5, "uint64", True), "duration_micros": (7, "uint64"), "attr": (10, "AttributeProto", True)},
}


def message_types():
    file = descriptor_pb2.FileDescriptorProto(name="et.proto", package="et", syntax="proto3")
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, *repeated) in fields.items():
            added = message.field.add(name=field, number=number, label=3 if repeated else 1)
            if kind in NUMBERS:
                added.type = NUMBERS[kind]
            else:
                added.type, added.type_name = 11, f".et.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return [factory.GetPrototype(pool.FindMessageTypeByName(f"et.{name}")) for name in ("GlobalMetadata", "Node")]


def messages_of(data):
    """The messages of a file, each after its length as a varint."""
    at = 0
    while at < len(data):
        size, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            size |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        if at + size > len(data):
            sys.exit("a message ends behind its file")
        yield data[at:at + size]
        at += size


def run(words):
    return subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout


def compare(schedule, ranks, words, folder):
    metadata, node_type = message_types()
    run(["show", schedule, "--ranks", ranks, *words, "--chakra", folder / "trace"])
    sends, receives = Counter(), Counter()
    for rank in range(ranks):
        first, *rest = messages_of((folder / f"trace.{rank}.et").read_bytes())
        if not metadata.FromString(first).version:
            sys.exit("no version")
        for place, data in enumerate(rest):
            node = node_type.FromString(data)
            if node.id != place or any(before >= len(rest) for before in node.data_deps):
                sys.exit(f"{schedule}: wrong node {node} of rank {rank}")
            values = {one.name: one.int64_val or one.int32_val for one in node.attr}
            if node.type in (5, 6):
                key = values["comm_src"], values["comm_dst"], values["comm_tag"], values["comm_size"]
                if rank != key[node.type - 5]:
                    sys.exit(f"{schedule}: wrong end {node} of rank {rank}")
                (sends if node.type == 5 else receives)[key] += 1
    if sends != receives or max(sends.values()) != 1:
        sys.exit(f"{schedule}: sends and receives differ")
    # Edges of one step and pair are one message.
    expected = Counter()
    for line in run(["show", schedule, "--ranks", ranks, *words, "--json"]).splitlines()[1:]:
        edge = json.loads(line)
        if edge["src"] != edge["dst"]:
            expected[edge["src"], edge["dst"], edge["step"]] += edge["size"]
    tags, messages = Counter(), {}
    for src, dst, step in sorted(expected):
        messages[src, dst, tags[src, dst], max(1, expected[src, dst, step])] = 1
        tags[src, dst] += 1
    if Counter(messages) != sends:
        sys.exit(f"{schedule}: got {len(sends)} messages, expected {len(messages)}, or others")
    return len(sends)


with tempfile.TemporaryDirectory() as name:
    counts = [compare("allreduce/ring", 128, ["--bytes", 1 << 20, "--element", 4], Path(name)),
              compare("allgather/bruck", 13, ["--block", 100], Path(name)),
              compare("alltoall/linear", 9, ["--block", 7], Path(name)),
              compare("barrier/dissemination", 6, [], Path(name))]
print(f"{counts} messages")
