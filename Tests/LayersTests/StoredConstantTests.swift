import Engine
import Operators
import OperatorSamples
import Testing

extension PreparedCase {
  /// An input as a file would keep it: a constant in float16.
  struct Stored {
    let inputs: [ReferenceTensor]
    let constants: [Constant?]
  }

  /// The case with each input in its turn as a constant that a file keeps in float16.
  var stored: [Stored] {
    inputs.indices.filter { inputs[$0].element == .float32 && inputs[$0].shape.count > 0 }.map {
      position in
      var inputs: [ReferenceTensor] = inputs
      inputs[position].values = inputs[position].values.map(ElementType.float16.rounded)
      let bytes: [UInt8] = inputs[position].values.flatMap { value in
        let bits: UInt16 = Float16(value).bitPattern
        return [UInt8(bits & 0xFF), UInt8(bits >> 8)]
      }
      var constants: [Constant?] =
        constants.isEmpty ? [Constant?](repeating: nil, count: inputs.count) : constants
      constants[position] = Constant(inputs[position].type, StoredValues(bytes, of: .float16))
      return Stored(inputs: inputs, constants: constants)
    }
  }

  /// The candidates that take the case so.
  func takenStored() throws -> Set<String> {
    var taken: Set<String> = []
    for way in stored {
      for candidate in layer.candidates {
        let isTaken = try KernelTrial().takes(
          candidate, inputs: way.inputs.map(\.type), constants: way.constants, outputs: types)
        if isTaken { taken.insert(candidate.name) }
      }
    }
    return taken
  }
}

/// Kernels that read constants as a file keeps them.
@Suite("Stored constants")
struct StoredConstantTests {
  static let cases: [LayerCase] = LayerCase.good.filter {
    $0.type == InnerProductOperator.self || $0.type == BatchedMatMulOperator.self
      || $0.type == GatherOperator.self
  }

  @Test("give the definition's answers", arguments: cases)
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

  @Test("give the definition's answers on matrix tiles", arguments: cases)
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

  @Test("take no memory for the matrix")
  func memory() throws {
    let bytes = [UInt8](repeating: 0x38, count: 64 * 64 * 2)
    let matrix = Constant(TensorType([64, 64]), StoredValues(bytes, of: .float16))
    let kernel = try Self.kernel(matrix)
    #expect(kernel.weights.isEmpty && kernel.inputs[1] == nil)
  }

  @Test("of 8 bits stay so: memory is taken for their factors alone")
  func bytes() throws {
    let codes = Constant(
      TensorType([64, 64]), StoredValues([UInt8](repeating: 0x85, count: 64 * 64), of: .int8))
    let factors = Constant([64, 1], [Float](repeating: 0.25, count: 64))
    let kernel = try Self.kernel(Constant.scaled(codes, by: factors, from: nil))
    #expect(kernel.weights.map(\.byteCount) == [64 * 4] && kernel.inputs[1] == nil)
  }

  /// The first kernel of a product of two rows.
  private static func kernel(_ matrix: Constant) throws -> Kernel {
    let request = KernelRequest(
      name: "test", inputs: [TensorDescriptor([2, 64]), TensorDescriptor([64, 64])],
      constants: [nil, matrix], outputs: [TensorType([2, 64])], precision: .float32, threads: 1)
    return try #require(try InnerProductOperator().candidates.first?.make(request))
  }
}
