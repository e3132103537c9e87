import Foundation
import Testing

@testable import ModelFormat

@Suite struct MILTextTests {
  /// The texts that Apple's compiler wrote, by path.
  static let fixtures: [String] = {
    let folder = Fixtures.shared.appendingPathComponent("models/compiled")
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).sorted().filter {
      FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("\($0)/model.mil").path)
    }
  }()

  static func fixture(_ name: String) throws -> [UInt8] {
    let folder = Fixtures.shared.appendingPathComponent("models/compiled")
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent("\(name)/model.mil")))
  }

  static func parse(_ text: String) throws -> MILText {
    try MILText(parsing: ByteValues(Array(text.utf8)))
  }

  @Test(.enabled(if: !fixtures.isEmpty, "needs ../shared/models/compiled"), arguments: fixtures)
  func `The text of Apple's compiler is printed again byte for byte`(name: String) throws {
    let bytes = try Self.fixture(name)
    let text = try MILText(parsing: ByteValues(bytes))
    #expect(text.description == String(decoding: bytes, as: UTF8.self))
    // Encoding and decoding the program as a protobuf must give the same program.
    let again = try Spec.MILSpec.Program(serialized: ByteValues(text.program.serialized()))
    #expect(again == text.program)
  }

  static let header = "program(1.3)\n{\n    func main<ios18>() {\n"
  static let footer = "        } -> ();\n}"

  static func inFunction(_ lines: String...) -> String {
    header + lines.map { "            \($0);\n" }.joined() + footer
  }

  /// Literals of every type, with the message's field that stores the literal and the stored bytes.
  static let literals: [(String, Spec.MILSpec.TensorValue.OneOfValue)] = [
    ("bool(true)", .bools(.making { $0.values = [true] })),
    (#"string("a\"\\\n\001é")"#, .strings(.making { $0.values = ["a\"\\\n\u{1}é"] })),
    ("int32(-2147483648)", .ints(.making { $0.values = [.min] })),
    ("tensor<int16, [2]>([-32768, 32767])", .ints(.making { $0.values = [-32768, 32767] })),
    ("uint16(65535)", .ints(.making { $0.values = [65535] })),
    ("int64(-9223372036854775808)", .longInts(.making { $0.values = [.min] })),
    ("uint64(18446744073709551615)", .longInts(.making { $0.values = [-1] })),
    ("uint32(4294967295)", bytes(0xFF, 0xFF, 0xFF, 0xFF)),
    ("tensor<int8, [2]>([-128, 127])", bytes(0x80, 0x7F)),
    ("uint8(255)", bytes(0xFF)),
    ("tensor<int4, [3]>([-8, 7, -1])", bytes(0x78, 0x0F)),
    ("tensor<uint4, [2, 1]>([[1], [15]])", bytes(0xF1)),
    ("tensor<uint1, [4]>([1, 0, 1, 1])", bytes(0x0D)),
    ("tensor<uint2, [5]>([0, 1, 2, 3, 3])", bytes(0xE4, 0x03)),
    ("tensor<uint3, [9]>([0, 1, 2, 3, 4, 5, 6, 7, 1])", bytes(0x88, 0xC6, 0xFA, 0x01)),
    ("tensor<uint6, [5]>([0, 1, 2, 63, 5])", bytes(0x40, 0x20, 0xFC, 0x05)),
    ("tensor<fp16, [3]>([0x1p-24, 0x1.ffcp+15, -0x0p+0])", bytes(1, 0, 0xFF, 0x7B, 0, 0x80)),
    ("tensor<fp16, [3]>([inf, -inf, nan])", bytes(0, 0x7C, 0, 0xFC, 0, 0x7E)),
    (
      "tensor<fp32, [2]>([0x1p-149, -0x1.fffffep+127])",
      .floats(
        .making {
          $0.values = [.leastNonzeroMagnitude, -.greatestFiniteMagnitude]
        })
    ),
    (
      "tensor<fp64, [2]>([0x1p-1074, 0x1.999999999999ap-4])",
      .doubles(
        .making {
          $0.values = [.leastNonzeroMagnitude, 0.1]
        })
    ),
    ("bf16(0x1.8p+0)", bytes(0xC0, 0x3F)),
    ("tensor<fp8e4m3fn, [3]>([0x1.cp+8, 0x1p-9, nan])", bytes(0x7E, 0x01, 0x7F)),
    ("tensor<fp8e5m2, [3]>([0x1.cp+15, 0x1p-16, -inf])", bytes(0x7B, 0x01, 0xFC)),
    ("tensor<int32, [0]>([])", .ints(.making { $0.values = [] })),
    ("tensor<int32, [3, 0, 2]>([])", .ints(.making { $0.values = [] })),
    ("tensor<int32, [?, 2]>([[1, 2], [3, 4]])", .ints(.making { $0.values = [1, 2, 3, 4] })),
  ]

  static func bytes(_ values: UInt8...) -> Spec.MILSpec.TensorValue.OneOfValue {
    .bytes(.making { $0.values = ByteValues(values) })
  }

  @Test(arguments: literals.indices)
  func `Literals of every type are stored in their type's field and survive a round trip`(
    index: Int
  ) throws {
    let (literal, value) = Self.literals[index]
    let source: String = Self.inFunction("bool x = const()[val = \(literal)]")
    let text = try Self.parse(source)
    let block = try #require(text.program.functions["main"]?.blockSpecializations["CoreML8"])
    let found = Spec.MILSpec.TensorValue.making {
      $0.value = block.operations[0].attributes["val"]?.tensor
    }
    #expect(found == .making { $0.value = value })
    #expect(text.description == source)
  }

  @Test func `Scalars are tensors without dimensions in version 1.0`() throws {
    let old = #"tensor<string, []> x = const()[val = tensor<string, []>("a")]"#
    let new = #"string x = const()[val = string("a")]"#
    var text = try Self.parse(Self.inFunction(new))
    #expect(text.description == Self.inFunction(new))
    text.version = .init(1, 0)
    let expected = Self.inFunction(old).replacing("program(1.3)", with: "program(1.0)")
    #expect(text.description == expected)
    #expect(try Self.parse(expected).program == text.program)
  }

  static let controlFlow = """
    program(1.3)
    {
        func main<ios18>(tensor<fp32, [2]> x, state<tensor<fp16, [1, ?]>> cache, bool p) {
                tensor<fp32, [2]> y, tensor<fp32, *> z = cond(pred = p)[name = string("c")] () {
                        tensor<fp32, [2]> a = relu(x = x);
                    } -> (a, a) () {
                    } -> (x, x);
                list<tensor<fp32, [?, ...]>, ?> l = make_list(elem_shape = (n, int32(4)), init_length = int32(0));
                int32 i, tensor<fp32, [2]> v = while_loop(loop_vars = (int32(0), x)) (int32 i.1, tensor<fp32, [2]> v.1) {
                        bool go = less(x = i.1, y = int32(3));
                    } -> (go) (int32 i.2, tensor<fp32, [2]> v.2) [note = string("body")] {
                        int32 next = add(x = i.2, y = int32(1));
                    } -> (next, v.2);
                write_state(data = x, input = cache);
            } -> (y, "a name");
        func other<ios99>(tuple<bool, string> t) {
            } -> ();
    }

    """.replacing("i.1", with: "\"i.1\"").replacing("v.1", with: "\"v.1\"")
    .replacing("i.2", with: "\"i.2\"").replacing("v.2", with: "\"v.2\"")

  @Test func `Blocks, states, lists and odd names are read and printed`() throws {
    let text = try Self.parse(Self.controlFlow)
    #expect(text.description == Self.controlFlow)
    #expect(text.functionNames == ["main", "other"])
    let function = try #require(text.program.functions["main"])
    #expect(function.opset == "CoreML8")
    let operations = try #require(function.block?.operations)
    #expect(operations.map(\.type) == ["cond", "make_list", "while_loop", "write_state"])
    #expect(operations[0].blocks.map(\.outputs) == [["a", "a"], ["x", "x"]])
    #expect(operations[1].inputs["elem_shape"]?.arguments.count == 2)
    #expect(
      operations[2].blocks.map { $0.inputs.map(\.name) } == [["i.1", "v.1"], ["i.2", "v.2"]])
    #expect(operations[3].outputs.isEmpty)
    #expect(text.program.functions["other"]?.opset == "ios99")
  }

  @Test func `Numbers may be decimal, and comments are allowed anywhere`() throws {
    let text = try Self.parse(
      Self.inFunction("// one\ntensor<fp32,[3]>x=const()[val=tensor<fp32,[3]>([1,-2.5e-1,1e+2])]"))
    let expected = "tensor<fp32, [3]>([0x1p+0, -0x1p-2, 0x1.9p+6])"
    #expect(text.description.contains(expected))
  }

  @Test func `The deepest nesting that a text may have can be read from the wire format`()
    throws
  {
    let depth: Int = MILTextReader.maximumNesting - 1
    let type: String =
      String(repeating: "dict<string, ", count: depth) + "int32"
      + String(repeating: ">", count: depth)
    let value: String =
      String(repeating: #"{{"k", "#, count: depth) + "1" + String(repeating: "}}", count: depth)
    let blocks: Int = MILTextReader.maximumBlockDepth - 1
    let line: String =
      String(repeating: "f() () { ", count: blocks) + "g(x = \(type)(\(value)))"
      + String(repeating: "; } -> ()", count: blocks)
    let text = try Self.parse(Self.inFunction(line))
    var model = Spec.Model()
    model.type = .mlProgram(text.program)
    #expect(try Spec.Model(serialized: ByteValues(model.serialized())) == model)
  }

  static let faults: [(String, String)] = [
    ("program(2.0) {}", "line 1: expected a version 1.0 to 1.3, found '2.0'."),
    ("program(1.0)\n{\n  func f<ios16>(", "line 3: expected a type, found the end of the text."),
    ("program(1.0) {} }", "line 1: expected the end of the text, found '}'."),
    (header + "  \"never", "line 4: the string does not end."),
    (
      inFunction(#"string s = const()[val = string("\q")]"#),
      "line 4, operation 'const' with the output 's': the string has an unknown escape, "
        + "or is not UTF-8."
    ),
    (
      inFunction("bool a = relu(x = y"),
      "line 4, operation 'relu' with the output 'a': expected ')', found ';'."
    ),
    (
      inFunction("bool a = const()[val = int8(128)]"),
      "line 4, operation 'const' with the output 'a': expected a signed integer of 8 bits, "
        + "found '128'."
    ),
    (
      inFunction("bool a = const()[val = fp16(0x1p+16)]"),
      "line 4, operation 'const' with the output 'a': expected a number that fits fp16, "
        + "found '0x1p+16'."
    ),
    (
      inFunction("bool a = const()[val = tensor<int32, [2]>([1, 2, 3])]"),
      "line 4, operation 'const' with the output 'a': a tensor has 3 elements along dimension 0, "
        + "expected 2."
    ),
    (
      inFunction("bool a = const()[val = tensor<int32, [2, 2]>([[1, 2], [3]])]"),
      "line 4, operation 'const' with the output 'a': a tensor has 1 elements along dimension 1, "
        + "expected 2."
    ),
    (
      inFunction("bool a = const()[val = tensor<fp99, [2]>([1])]"),
      "line 4, operation 'const' with the output 'a': 'fp99' is not a type."
    ),
    (
      inFunction("bool a = const()[val = tensor<fp32, [-1]>([1])]"),
      "line 4, operation 'const' with the output 'a': expected a length or '?', found '-1'."
    ),
    (
      inFunction("bool a = const()[val = tensor<fp16, [1]>(BLOBFILE(path = string(\"w\")))]"),
      "line 4, operation 'const' with the output 'a': a BLOBFILE lacks its path (a string) or its "
        + "offset (a uint64)."
    ),
    (
      inFunction("bool a = add(x = b, x = c)"),
      "line 4, operation 'add' with the output 'a': the input 'x' is stated twice."
    ),
    (
      inFunction("a(x = " + String(repeating: "list<", count: 40)),
      "line 4, operation 'a': types are nested deeper than 10."
    ),
    (
      header + String(repeating: "f() () {", count: 50),
      "line 4, operation 'f': blocks are nested deeper than 24."
    ),
    (
      header + "f(x = tensor<int32, [" + String(repeating: "1, ", count: 100_000) + "]>("
        + String(repeating: "[", count: 100_000),
      "line 4, operation 'f': a value has a tensor of rank 100000, expected one of rank 32 at most."
    ),
  ]

  @Test(arguments: faults.indices)
  func `An error is reported in one sentence with its line and operation`(index: Int) {
    let (text, sentence) = Self.faults[index]
    let error = #expect(throws: ModelFormatError.self) { try Self.parse(text) }
    #expect(error?.message == "Model in memory: model.mil, " + sentence)
  }
}
