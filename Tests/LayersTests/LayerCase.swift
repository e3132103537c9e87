import Engine
import OperatorSamples
import Operators
import Platform
import Testing

/// One sample of one layer type of the catalogue.
struct LayerCase: Sendable, CustomTestStringConvertible {
  let type: any Operator.Type
  let sample: OperatorSample
  /// The position in `all`.
  let number: Int

  /// The field of the specification that its layer is of; nil where no message makes it.
  var field: String? { sample.layer.layer?.fieldName }

  var testDescription: String { "\(type.declaration.name): \(sample.name)" }

  /// Every sample of the catalogue.
  static let all: [LayerCase] = OperatorCatalog.standard.layers
    .flatMap { type in ((type as? any SampledOperator.Type)?.samples ?? []).map { (type, $0) } }
    .enumerated().map { LayerCase(type: $1.0, sample: $1.1, number: $0) }

  /// Those that compute.
  static let good: [LayerCase] = all.filter { $0.sample.failure == nil }
  /// Those whose answer is known from elsewhere.
  static let answered: [LayerCase] = good.filter { $0.sample.expected != nil }
  /// Those that must throw.
  static let bad: [LayerCase] = all.filter { $0.sample.failure != nil }
  /// Those that compute the same every time.
  static let deterministic: [LayerCase] = good.filter { $0.type.isDeterministic }

  /// Those for which we have kernels on matrix tiles.
  static let onTiles: [LayerCase] = deterministic.filter { test in
    let names: [String] = (try? test.makeLayer().candidates.map(\.name)) ?? []
    return names.contains { $0.hasSuffix(Form.ownTiles) && !$0.hasPrefix("oneDNN") }
  }

  /// Those that compute with their inputs, none of which is an index, a count or a shape.
  static let computing: [LayerCase] = deterministic.filter { test in
    test.sample.inputs.allSatisfy { input in
      if case .integers = input.fill { return false }
      return true
    }
  }

  /// The operator as a network would make it.
  func makeLayer() throws -> any Operator { try decoded().operation }

  /// The operator as a network would make it, with the constants that it reads after its inputs.
  func decoded() throws -> DecodedLayer {
    if let derived = sample.derived {
      let constants = filled(sample.constants, from: sample.inputs.count, .float32)
      return DecodedLayer(
        derived, constants: constants.enumerated().map { ("constant\($0)", Constant($1)) })
    }
    let catalog = OperatorCatalog.standard
    let network = NetworkContext(mapping: sample.mapping, catalog: catalog)
    return try catalog.layer(for: sample.layer, in: network)
  }

  /// The inputs, rounded to what the storage can hold; the same on every machine.
  func makeInputs(_ storage: ElementType = .float32) -> [ReferenceTensor] {
    filled(sample.inputs, from: 0, storage)
  }

  /// Tensors of shapes and fillings, whose seeds count from a position.
  private func filled(
    _ shapes: [(shape: Shape, fill: OperatorSample.Fill)], from first: Int, _ storage: ElementType
  ) -> [ReferenceTensor] {
    shapes.enumerated().map { position, input in
      var generator = SampleGenerator(seed: UInt64(first + position) * 0x9E37_79B9 + 17)
      let values: [Double] = (0..<input.shape.count).map { index in
        let value: Double
        switch input.fill {
        case .uniform(let range): value = generator.uniform(range)
        case .integers(let range): value = Double(Int.random(in: range, using: &generator))
        case .values(let list): value = list[index]
        }
        let single = Float(value)
        return Double(
          storage == .bfloat16 ? BFloat16.value(of: BFloat16.bits(of: single)) : single)
      }
      return ReferenceTensor(input.shape, values)
    }
  }

  /// What the shape rule promises; values of inputs are given where shapes alone do not tell.
  func promisedTypes(
    _ layer: any Operator, _ inputs: [ReferenceTensor], _ constants: [Constant?] = []
  ) throws -> [TensorType] {
    let blind: [OperatorInput] = inputs.enumerated().map { position, input in
      OperatorInput(
        TensorType(input.shape),
        constant: constants.indices.contains(position) ? constants[position] : nil)
    }
    if let types = try layer.outputTypes(for: blind) { return types }
    let seeing: [OperatorInput] = inputs.map { OperatorInput(TensorType($0.shape), value: $0) }
    return try #require(try layer.outputTypes(for: seeing), "no shape even with values known")
  }
}

/// A layer with inputs and the reference's answers.
struct PreparedCase: Sendable {
  let layer: any Operator
  /// The sample's inputs, and the layer's constants after them.
  let inputs: [ReferenceTensor]
  /// One an input: nil for the sample's own. Empty where the layer has none.
  let constants: [Constant?]
  let types: [TensorType]
  let answers: [ReferenceTensor]

  /// Those of a case; the slow reference runs once for all tests.
  static func of(_ test: LayerCase, _ storage: ElementType = .float32) throws -> PreparedCase {
    let key = Key(number: test.number, storage: storage)
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = try PreparedCase(test, storage)
    cache.withLock { $0[key] = made }
    return made
  }

  private struct Key: Hashable {
    let number: Int
    let storage: ElementType
  }

  private static let cache = Locked<[Key: PreparedCase]>([:])

  private init(_ test: LayerCase, _ storage: ElementType) throws {
    let decoded = try test.decoded()
    let given = test.makeInputs(storage)
    layer = decoded.operation
    inputs = try given + decoded.constants.map { try $0.value.tensor() }
    constants =
      decoded.constants.isEmpty ? [] : given.map { _ in nil } + decoded.constants.map(\.value)
    types = try test.promisedTypes(layer, inputs, constants)
    answers = try layer.reference(inputs)
  }
}

extension PreparedCase {
  /// The ways in which constants are told to kernels: as they are, and not at all (in `float32` alone, as
  /// constants are not rounded).
  func ways(_ storage: ElementType) -> [[Constant?]] {
    constants.isEmpty || storage != .float32 ? [constants] : [constants, []]
  }
}

/// A way to offer inputs to a kernel.
struct Form: Sendable, CustomTestStringConvertible {
  var layout: Layout
  var storage: ElementType
  var threads: Int
  /// Whether kernels for matrix tiles run, on acted ones.
  var actsTiles = false

  /// How the names of our kernels for matrix tiles end.
  static let ownTiles = "on matrix tiles"

  var testDescription: String {
    "\(storage), \(layout), \(threads) thread\(threads == 1 ? "" : "s")"
  }

  var trial: KernelTrial {
    var trial = KernelTrial(layout: layout, storage: storage, threads: threads)
    trial.processor.actsMatrixTiles = actsTiles
    return trial
  }

  /// Those in which kernels for matrix tiles run.
  static let onTiles: [Form] = [
    Form(layout: .dense, storage: .bfloat16, threads: 2, actsTiles: true),
    Form(layout: .channelsLast, storage: .bfloat16, threads: 1, actsTiles: true),
  ]

  /// Both layouts and both types, with one thread or more.
  static let all: [Form] = [
    Form(layout: .dense, storage: .float32, threads: 1),
    Form(layout: .dense, storage: .float32, threads: 3),
    Form(layout: .channelsLast, storage: .float32, threads: 2),
    Form(layout: .dense, storage: .bfloat16, threads: 2),
    Form(layout: .channelsLast, storage: .bfloat16, threads: 1),
  ]
}
