import Tensors
import Foundation
import Testing

@testable import ModelFormat

@Suite struct MILTextDamageTests {
  static let mutationsPerText = 400

  /// Words and punctuation to insert at wrong positions.
  static let pieces: [String] = [
    "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", "=", "?", "->", "\"", "\\", "-", "0x1p+99999",
    "18446744073709551616", "tensor<", "list<", "tuple<", "dict<", "state<", "BLOBFILE(", "func ",
    "nan", "*", "...", "uint3(", "\u{0}", "//", "99999999999999999999",
  ]

  static func mutate(_ original: [UInt8], with generator: inout SplitMix64) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &generator)
      let end = Int.random(in: position...min(position + 60, bytes.count), using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes.removeSubrange(position...)
      case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 2: bytes.removeSubrange(position..<end)
      case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
      case 4:
        let piece: String = pieces.randomElement(using: &generator) ?? ""
        bytes.replaceSubrange(position..<min(position + 1, end), with: Array(piece.utf8))
      default:
        let other = Int.random(in: 0..<bytes.count, using: &generator)
        bytes.insert(contentsOf: bytes[position..<end], at: other)
      }
    }
    return bytes
  }

  /// Reads a text and prints the program. If the text is readable, the printed text must give the same program.
  static func survives(_ bytes: [UInt8]) throws -> Bool {
    do {
      let text = try MILText(parsing: ByteValues(bytes))
      let again = try MILText(parsing: ByteValues(text.utf8))
      #expect(again == text)
      let program = try Spec.MILSpec.Program(serialized: ByteValues(text.program.serialized()))
      #expect(program == text.program)
      return true
    } catch let error as ModelFormatError {
      let start = "Model in memory: model.mil, line "
      #expect(error.message.hasPrefix(start) && error.message.hasSuffix("."))
      return false
    }
  }

  static func check(_ original: [UInt8], seed: UInt64, name: String) throws {
    var generator = SplitMix64(seed: seed)
    var readable = 0
    for _ in 0..<mutationsPerText {
      if try survives(mutate(original, with: &generator)) { readable += 1 }
    }
    print("mutations of \(name), seed \(seed): \(readable) of \(mutationsPerText) still readable")
    #expect(readable < mutationsPerText)
  }

  @Test(
    .enabled(if: !MILTextTests.fixtures.isEmpty, "needs ../shared/models/compiled"),
    arguments: MILTextTests.fixtures)
  func `Four hundred mutations of a text give errors or programs`(name: String) throws {
    try Self.check(try MILTextTests.fixture(name), seed: 5, name: name)
  }

  @Test func `Mutations of blocks and literals give errors or programs`() throws {
    try Self.check(Array(MILTextTests.controlFlow.utf8), seed: 6, name: "control flow")
    let lines = MILTextTests.literals.map { "f(x = \($0.0))" }
    let source = MILTextTests.inFunction(lines.joined(separator: ";\n"))
    for seed in 7..<12 { try Self.check(Array(source.utf8), seed: UInt64(seed), name: "literals") }
  }

  @Test func `A program with shapes that contradict its values can still be printed`() {
    typealias Tensor = Spec.MILSpec.TensorValue
    let values: [Tensor.OneOfValue?] = [
      nil, .ints(.making { $0.values = [1, 2, 3] }), MILTextTests.bytes(1, 2, 3),
      .floats(.making { $0.values = [1] }), .strings(.making { $0.values = ["a"] }),
    ]
    let shapes: [[UInt64?]] = [
      [], [2], [nil, nil], [.max, .max], [0, .max], [1 << 62, 4], [3, nil], [nil, 2],
      [UInt64?](repeating: 1, count: 100_000),
    ]
    let types: [Spec.MILSpec.DataType] =
      MILTextNames.elementTypes.map(\.type) + [.unusedType, .unrecognized(99)]
    var program = Spec.MILSpec.Program()
    for (index, value) in values.enumerated() {
      for (number, shape) in shapes.enumerated() {
        for type in types where shape.count < 10 || type == .int32 {
          program.attributes["\(index) \(number) \(type)"] = .making {
            $0.type = .making {
              $0.type = .tensorType(
                .making {
                  $0.dataType = type
                  $0.rank = Int64(shape.count)
                  $0.dimensions = shape.map { $0.map { .known($0) } ?? .unknown() }
                })
            }
            $0.value = .immediateValue(
              .making { $0.value = .tensor(.making { $0.value = value }) })
          }
        }
      }
    }
    program.functions["f"] = Spec.MILSpec.Function.making {
      $0.blockSpecializations["x"] = .making {
        $0.operations = [
          .making {
            $0.type = ""
            $0.inputs = ["": Spec.MILSpec.Argument(), "a": .making { $0.arguments = [.init()] }]
            $0.outputs = [.init()]
            $0.attributes = ["": Spec.MILSpec.Value()]
          }
        ]
      }
    }
    let text = MILText(program, version: .init(1, 3)).description
    #expect(text.contains(#"unknown "" = ""("" = (), a = "")["" = unknown()];"#))
    #expect(text.contains(#""1 1 int32" = tensor<int32, [2]>([1, 2, 3])"#))
    #expect(text.contains(#""2 1 uint4" = tensor<uint4, [2]>([1, 0, 2, 0, 3, 0])"#))
  }
}
