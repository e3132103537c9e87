#!/usr/bin/env python3
"""Writes Sources/Formats/ModelFormat/Generated/*.swift from the descriptors inside coremltools.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install coremltools==9.0
    /tmp/venv/bin/python Scripts/generate_specification.py

The modules coremltools/proto/*_pb2.py each contain one serialised FileDescriptorProto. This script reads
them as text and never imports coremltools. So the generated Swift always matches the specification. After
raising VERSION, run the script again and commit its output.

How descriptors map to Swift:
  message                     struct, nested as in the proto; CoreML.Specification.X -> Spec.X
  field                       var, lowerCamelCase; a leading capital becomes lower-case (K -> k, ReLU -> reLU)
  singular message            Optional, stored in a box (Boxed), so that structs stay small
  repeated float, bytes       FloatValues, ByteValues: slices of the mapped file
  oneof layer                 var layer: OneOfLayer?, an indirect enum with a case per field
  enum                        enum with `unrecognized(Int32)`; FOO_BAR -> fooBar
  map                         Dictionary
"""

import argparse
import ast
import collections
import re
import sys
import sysconfig
from pathlib import Path

VERSION = "9.0"
ROOT = ".CoreML.Specification."
MESSAGES_PER_FILE = 55

KEYWORDS = set(
    "associatedtype class deinit enum extension fileprivate func import init inout internal let "
    "open operator private protocol public rethrows static struct subscript typealias var break "
    "case continue default defer do else fallthrough for guard if in repeat return switch where "
    "while as Any catch false is nil super self Self throw throws true try Type Protocol".split()
)

# protobuf type number -> (Swift type, Swift default, name of the reader's and writer's method)
SCALARS = {
    1: ("Double", "0", "double"),
    2: ("Float", "0", "float"),
    3: ("Int64", "0", "int64"),
    4: ("UInt64", "0", "uint64"),
    5: ("Int32", "0", "int32"),
    8: ("Bool", "false", "bool"),
    9: ("String", '""', "string"),
    12: ("ByteValues", "ByteValues()", "bytes"),
    13: ("UInt32", "0", "uint32"),
}
ENUM, MESSAGE, REPEATED = 14, 11, 3


def lower_first(word):
    """Makes a leading run of capitals lower-case: K -> k, ELU -> elu, PReLU -> pReLU, LMax -> lMax."""
    run = re.match(r"[A-Z]*", word).group()
    if len(run) <= 1 or len(run) == len(word):
        return run.lower() + word[len(run):]
    return run[:-1].lower() + word[len(run) - 1:]


def upper_first(word):
    return word[:1].upper() + word[1:]


def escaped(word):
    return f"`{word}`" if word in KEYWORDS else word


def field_name(name):
    parts = [part for part in name.split("_") if part]
    return lower_first(parts[0]) + "".join(upper_first(part) for part in parts[1:])


def case_name(name):
    parts = [part for part in name.split("_") if part]
    words = [part.lower() if re.fullmatch(r"[A-Z0-9]+", part) else part for part in parts]
    return lower_first(words[0]) + "".join(upper_first(word) for word in words[1:])


def swift_type(proto_name):
    assert proto_name.startswith(ROOT), proto_name
    return "Spec." + proto_name[len(ROOT):]


class Lines:
    def __init__(self):
        self.rows = []
        self.depth = 0

    def add(self, row=""):
        self.rows.append("  " * self.depth + row if row else "")

    def open(self, row):
        self.add(row + " {")
        self.depth += 1

    def close(self):
        self.depth -= 1
        self.add("}")


class Field:
    def __init__(self, proto, message):
        self.number = proto.number
        self.name = field_name(proto.name)
        self.variable = escaped(self.name)
        self.repeated = proto.label == REPEATED
        self.kind = proto.type
        self.oneof = proto.oneof_index if proto.HasField("oneof_index") else None
        self.map = None
        assert not (self.repeated and proto.options.HasField("packed") and not proto.options.packed)
        if self.kind == MESSAGE:
            entries = [n for n in message.nested_type if n.options.map_entry]
            entry = next((n for n in entries if proto.type_name.endswith(
                "." + message.name + "." + n.name)), None)
            if entry is not None:
                self.map = (entry.field[0], entry.field[1])
                self.element = None
            else:
                self.element = swift_type(proto.type_name)
        elif self.kind == ENUM:
            assert not self.repeated
            self.element = swift_type(proto.type_name)
        else:
            self.element = SCALARS[self.kind][0]

    def map_types(self):
        key, value = self.map
        named = swift_type(value.type_name) if value.type == MESSAGE else SCALARS[value.type][0]
        return SCALARS[key.type][0], named, value.type == MESSAGE

    def declaration(self):
        if self.map:
            key, value, _ = self.map_types()
            return f"public var {self.variable}: [{key}: {value}] = [:]"
        if self.repeated:
            if self.kind == 2:
                return f"public var {self.variable} = FloatValues()"
            assert self.kind != 12
            return f"public var {self.variable}: [{self.element}] = []"
        if self.kind == MESSAGE:
            return f"@Boxed public var {self.variable}: {self.element}?"
        if self.kind == ENUM:
            return f"public var {self.variable} = {self.element}(rawValue: 0)"
        if self.kind == 12:
            return f"public var {self.variable} = ByteValues()"
        return f"public var {self.variable}: {self.element} = {SCALARS[self.kind][1]}"

    def method(self):
        if self.map:
            return "messageMap" if self.map_types()[2] else "map"
        if self.kind == MESSAGE:
            return "messages" if self.repeated else "message"
        if self.kind == ENUM:
            return "enumeration"
        name = SCALARS[self.kind][2]
        return name + "s" if self.repeated else name

    def stored(self):
        boxed = self.kind == MESSAGE and not self.repeated
        return "_" + self.name if boxed else self.variable


def oneof_variable(oneof):
    return escaped(field_name(oneof.name))


def oneof_type(oneof):
    return "OneOf" + upper_first(field_name(oneof.name))


def write_enum(lines, enum, path):
    lines.add(f"/// `{path}{enum.name}`")
    assert not enum.options.allow_alias
    lines.open(f"public enum {enum.name}: SpecEnumeration")
    for value in enum.value:
        lines.add(f"case {escaped(case_name(value.name))}")
    lines.add("case unrecognized(Int32)")
    lines.open("public init(rawValue: Int32)")
    lines.open("switch rawValue")
    for value in enum.value:
        lines.add(f"case {value.number}: self = .{case_name(value.name)}")
    lines.add("default: self = .unrecognized(rawValue)")
    lines.close()
    lines.close()
    lines.open("public var rawValue: Int32")
    lines.open("switch self")
    for value in enum.value:
        lines.add(f"case .{case_name(value.name)}: {value.number}")
    lines.add("case .unrecognized(let value): value")
    lines.close()
    lines.close()
    lines.close()


def write_decode(lines, fields, oneofs):
    lines.open("public mutating func decodeField(_ number: UInt32, from reader: inout WireReader) throws")
    lines.open("switch number")
    for field in fields:
        if field.oneof is None:
            lines.add(f"case {field.number}: try reader.{field.method()}(&{field.stored()})")
            continue
        variable = oneof_variable(oneofs[field.oneof])
        if field.kind == MESSAGE:
            lines.add(f"case {field.number}:")
            lines.depth += 1
            lines.add(f"var decoded = {field.element}()")
            lines.add(f"if case .{field.name}(let current)? = {variable} {{ decoded = current }}")
            lines.add(f"{variable} = nil")
            lines.add("try reader.merge(&decoded)")
            lines.add(f"{variable} = .{field.name}(decoded)")
            lines.depth -= 1
        else:
            start = f"{field.element}(rawValue: 0)" if field.kind == ENUM else f"{field.element}()"
            lines.add(f"case {field.number}:")
            lines.depth += 1
            lines.add(f"var decoded = {start}")
            lines.add(f"try reader.{field.method()}(&decoded)")
            lines.add(f"{variable} = .{field.name}(decoded)")
            lines.depth -= 1
    lines.add("default: try reader.unknown(&unknownFields)")
    lines.close()
    lines.close()


def write_encode(lines, fields, oneofs):
    """Writes encode(into:). The enum of a oneof writes its members, whose numbers may be between other fields."""
    lines.open("public func encode(into writer: inout WireWriter)")
    groups = []  # The fields, sorted by number: ('field', f), or ('oneof', index, [consecutive members]).
    for field in sorted(fields, key=lambda f: f.number):
        if field.oneof is None:
            groups.append(("field", field))
        elif groups and groups[-1][0] == "oneof" and groups[-1][1] == field.oneof:
            groups[-1][2].append(field)
        else:
            groups.append(("oneof", field.oneof, [field]))
    sizes = collections.Counter(f.oneof for f in fields if f.oneof is not None)
    for group in groups:
        if group[0] == "field":
            field = group[1]
            lines.add(f"writer.{field.method()}({field.number}, {field.variable})")
            continue
        members = group[2]
        lines.open(f"switch {oneof_variable(oneofs[group[1]])}")
        for field in members:
            always = "" if field.kind == MESSAGE else ", always: true"
            lines.add(
                f"case .{field.name}(let value)?: writer.{field.method()}({field.number}, value{always})")
        lines.add("case nil: break" if len(members) == sizes[group[1]] else "default: break")
        lines.close()
    lines.add("writer.unknown(unknownFields)")
    lines.close()


def write_message(lines, message, path):
    fields = [Field(field, message) for field in message.field]
    oneofs = list(message.oneof_decl)
    lines.add(f"/// `{path}{message.name}`")
    lines.open(f"public struct {message.name}: SpecMessage")
    for field in fields:
        if field.oneof is None:
            lines.add(field.declaration())
    for oneof in oneofs:
        lines.add(f"public var {oneof_variable(oneof)}: {oneof_type(oneof)}?")
    lines.add("public var unknownFields = UnknownFields()")
    lines.add("public init() {}")
    names = " ".join(f"{field.number} {field.name}" for field in fields)
    lines.add(f'public static var messageName: String {{ "{message.name}" }}')
    lines.add(f'public static var fieldNames: String {{ "{names}" }}')
    write_decode(lines, fields, oneofs)
    write_encode(lines, fields, oneofs)
    inner = f"{path}{message.name}."
    for index, oneof in enumerate(oneofs):
        lines.open(f"public indirect enum {oneof_type(oneof)}: Sendable")
        for field in fields:
            if field.oneof == index:
                lines.add(f"case {escaped(field.name)}({field.element})")
        lines.add("/// The field's name in the specification.")
        lines.open("public var fieldName: String")
        lines.open("switch self")
        for field in fields:
            if field.oneof == index:
                lines.add(f'case .{escaped(field.name)}: "{field.name}"')
        lines.close()
        lines.close()
        lines.close()
    for enum in message.enum_type:
        write_enum(lines, enum, inner)
    for nested in message.nested_type:
        if not nested.options.map_entry:
            write_message(lines, nested, inner)
    lines.close()


def namespace(package):
    return ("Spec" + ("." + package)[len(ROOT) - 1:]).rstrip(".")


def write_files(files, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.swift"):
        old.unlink()
    for file in files:
        stem = Path(file.name).stem
        messages = list(file.message_type)
        parts = [messages[i:i + MESSAGES_PER_FILE]
                 for i in range(0, len(messages), MESSAGES_PER_FILE)] or [[]]
        for index, part in enumerate(parts):
            lines = Lines()
            lines.add(f"// Generated by Scripts/generate_specification.py from {file.name}")
            lines.add(f"// (coremltools {VERSION}). Do not edit.")
            lines.add("// swift-format-ignore-file")
            lines.add()
            lines.open(f"extension {namespace(file.package)}")
            if index == 0:
                for enum in file.enum_type:
                    write_enum(lines, enum, file.package + ".")
            for message in part:
                write_message(lines, message, file.package + ".")
            lines.close()
            suffix = f"+{index + 1}" if len(parts) > 1 else ""
            (folder / f"{stem}Spec{suffix}.swift").write_text("\n".join(lines.rows) + "\n")


def read_descriptors(packages):
    sys.path.append(str(packages))
    from google.protobuf import descriptor_pb2

    files = []
    for path in sorted((packages / "coremltools" / "proto").glob("*_pb2.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "AddSerializedFile":
                file = descriptor_pb2.FileDescriptorProto.FromString(node.args[0].value)
                if file.package.startswith("CoreML.Specification"):
                    files.append(file)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=Path, default=Path(sysconfig.get_path("purelib")),
                        help="site-packages folder that holds coremltools and protobuf")
    parser.add_argument("--output", type=Path,
                        default=Path(__file__).parent.parent / "Sources/Formats/ModelFormat/Generated")
    options = parser.parse_args()
    found = list(options.packages.glob("coremltools-*.dist-info"))
    if [folder.name for folder in found] != [f"coremltools-{VERSION}.dist-info"]:
        sys.exit(f"coremltools {VERSION} is expected in {options.packages}, found "
                 f"{[folder.name for folder in found] or 'none'}: pip install coremltools=={VERSION}")
    files = read_descriptors(options.packages)
    write_files(files, options.output)
    print(f"{len(files)} files, {sum(len(f.message_type) for f in files)} top-level messages")


if __name__ == "__main__":
    main()
