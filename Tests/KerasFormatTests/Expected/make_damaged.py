"""Writes damaged.json: HDF5 files with internal links that lead to the same nodes repeatedly. python3 make_damaged.py"""
import base64
import json
import os
import struct
import tempfile

import h5py
import numpy as np


def plain():
    path = os.path.join(tempfile.mkdtemp(), "m.h5")
    with h5py.File(path, "w", libver="earliest") as file:
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = np.array([b"d"])
        layer = group.create_group("d")
        layer.attrs["weight_names"] = np.array([b"kernel", b"bias"])
        layer.create_dataset("kernel", data=np.ones((4, 3), "f4"))
        layer.create_dataset("bias", data=np.zeros(3, "f4"))
        file.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": {"name": "s", "layers": [
            {"class_name": "Dense", "config": {"name": "d", "batch_input_shape": [None, 4], "units": 3}}]}})
    return bytearray(open(path, "rb").read())


def tree(kind, level, entries, key):
    """A node of a tree: every entry is (key bytes, address)."""
    out = b"TREE" + bytes([kind, level]) + struct.pack("<H", len(entries)) + b"\xff" * 16
    return out + b"".join(key + struct.pack("<Q", address) for address in entries) + key


def shared_groups():
    """Returns a file whose root group has its links in a tree of 6 levels, with 60 identical branches per node."""
    data = plain()
    # The symbol table entry of the root has a copy of the address of its tree. The message in its header has another
    # copy.
    first = struct.unpack_from("<Q", data, 24 + 4 * 8 + 8 + 8 + 8)[0]
    leaf = struct.unpack_from("<Q", data, first + 24 + 8)[0]
    address = None
    for level in range(7):
        node = tree(0, level, [leaf if level == 0 else address] * (1 if level == 0 else 60), struct.pack("<Q", 0))
        address = len(data)
        data += node
    for place in range(len(data) - 8):
        if struct.unpack_from("<Q", data, place)[0] == first:
            struct.pack_into("<Q", data, place, address)
    return data


files = {"links in a tree with identical branches": shared_groups()}
text = json.dumps({name: base64.b64encode(bytes(data)).decode() for name, data in files.items()}, indent=1)
open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "damaged.json"), "w").write(text + "\n")
