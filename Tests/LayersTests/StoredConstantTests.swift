import Engine
import Operators
import OperatorSamples
import Testing

extension PreparedCase {
  /// The inputs and constants of a case. One of the inputs is a constant that stays in a file's storage format, float16
  /// or float32.
  struct Stored {
    let inputs: [ReferenceTensor]
    let constants: [Constant?]
  }

  /// Two cases for each float32 input. In the cases, this input is a constant that a file stores in float16 or in
  /// float32.
  var stored: [Stored] { stored(as: .float16) + stored(as: .float32) }

  private func stored(as element: ElementType) -> [Stored] {
    inputs.indices.filter { inputs[$0].element == .float32 && inputs[$0].shape.count > 0 }.map {
      position in
      var inputs: [ReferenceTensor] = inputs
      inputs[position].values = inputs[position].values.map(element.rounded)
      let bytes: [UInt8] = inputs[position].values.flatMap { value in
        element == .float16
          ? withUnsafeBytes(of: Float16(value).bitPattern.littleEndian, Array.init)
          : withUnsafeBytes(of: Float(value).bitPattern.littleEndian, Array.init)
      }
      var constants: [Constant?] =
        constants.isEmpty ? [Constant?](repeating: nil, count: inputs.count) : constants
      constants[position] = Constant(inputs[position].type, StoredValues(bytes, of: element))
      return Stored(inputs: inputs, constants: constants)
    }
  }

  /// Returns the names of the candidates that accept a case with a stored constant.
  func usedWhenStored() throws -> Set<String> {
    var used: Set<String> = []
    for way in stored {
      for candidate in layer.candidates {
        let isUsed = try KernelTrial().takes(
          candidate, inputs: way.inputs.map(\.type), constants: way.constants, outputs: types)
        if isUsed { used.insert(candidate.name) }
      }
    }
    return used
  }
}

/// Tests kernels that read constants in the file's storage format.
@Suite("Stored constants")
struct StoredConstantTests {
  static let cases: [LayerCase] = LayerCase.good.filter {
    $0.type == InnerProductOperator.self || $0.type == BatchedMatMulOperator.self
      || $0.type == GatherOperator.self
  }

  @Test("Products with stored constants match the definition", arguments: cases)
  func answers(test: LayerCase) throws {
    let prepared = try PreparedCase.of(test)
    for way in prepared.stored {
      let answers = try prepared.layer.reference(way.inputs)
      for candidate in prepared.layer.candidates {
        let outputs = try KernelTrial(threads: 2).run(
          candidate, inputs: way.inputs, constants: way.constants, outputs: prepared.types)
        for (output, answer) in zip(outputs ?? [], answers) {
          let comparison = Comparison(output, to: answer)
          #expect(comparison.error <= 2e-5, "\(candidate.name): \(comparison)")
        }
      }
    }
  }

  @Test("Products with stored constants match the definition on matrix tiles", arguments: cases)
  func answersOnTiles(test: LayerCase) throws {
    let prepared = try PreparedCase.of(test, .bfloat16)
    for way in prepared.stored {
      let answers = try prepared.layer.reference(way.inputs)
      for candidate in prepared.layer.candidates where candidate.name.hasSuffix(Form.ownTiles) {
        let outputs = try Form.onTiles[0].trial.run(
          candidate, inputs: way.inputs, constants: way.constants, outputs: prepared.types)
        for (output, answer) in zip(outputs ?? [], answers) {
          let comparison = Comparison(output, to: answer)
          #expect(comparison.error <= 0x1p-6, "\(candidate.name): \(comparison)")
        }
      }
    }
  }

  @Test("A stored constant needs no memory for a decoded matrix")
  func memory() throws {
    let bytes = [UInt8](repeating: 0x38, count: 64 * 64 * 2)
    let matrix = Constant(TensorType([64, 64]), StoredValues(bytes, of: .float16))
    let kernel = try Self.kernel(matrix)
    #expect(kernel.weights.isEmpty && kernel.inputs[1] == nil)
  }

  @Test("8-bit stored constants stay in 8 bits, and only their scales take memory")
  func bytes() throws {
    let integers = Constant(
      TensorType([64, 64]), StoredValues([UInt8](repeating: 0x85, count: 64 * 64), of: .int8))
    let factors = Constant([64, 1], [Float](repeating: 0.25, count: 64))
    let kernel = try Self.kernel(Constant.scaled(integers, by: factors, from: nil))
    #expect(kernel.weights.map(\.byteCount) == [64 * 4] && kernel.inputs[1] == nil)
  }

  /// Creates a kernel for the product of a 2 × 64 input and the matrix. The first candidate that fits creates it.
  private static func kernel(_ matrix: Constant) throws -> Kernel {
    let request = KernelRequest(
      name: "test", inputs: [TensorDescriptor([2, 64]), TensorDescriptor([64, 64])],
      constants: [nil, matrix], outputs: [TensorType([2, 64])], precision: .float32, threads: 1)
    return try #require(
      try InnerProductOperator().candidates.compactMap { try $0.make(request) }.first)
  }
}
