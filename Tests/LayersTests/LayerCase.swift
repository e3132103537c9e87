import Engine
import OperatorSamples
import Operators
import Platform
import Testing

/// One sample of one layer type in the catalogue.
struct LayerCase: Sendable, CustomTestStringConvertible {
  let type: any Operator.Type
  let sample: OperatorSample
  /// The index of this case in `all`.
  let number: Int

  /// The field name of the layer in the specification. Nil if no specification message describes it.
  var field: String? { sample.layer.layer?.fieldName }

  var testDescription: String { "\(type.declaration.name): \(sample.name)" }

  /// Every sample in the catalogue.
  static let all: [LayerCase] = OperatorCatalog.tested
    .flatMap { type in ((type as? any SampledOperator.Type)?.samples ?? []).map { (type, $0) } }
    .enumerated().map { LayerCase(type: $1.0, sample: $1.1, number: $0) }

  /// Samples that compute successfully.
  static let good: [LayerCase] = all.filter { $0.sample.failure == nil }
  /// Samples whose expected output comes from an independent source.
  static let answered: [LayerCase] = good.filter { $0.sample.expected != nil }
  /// Samples that must throw.
  static let bad: [LayerCase] = all.filter { $0.sample.failure != nil }
  /// Samples that give the same result in every run.
  static let deterministic: [LayerCase] = good.filter { $0.type.isDeterministic }

  /// Samples of layers with matrix-tile kernels.
  static let onTiles: [LayerCase] = deterministic.filter { test in
    let names: [String] = (try? test.makeLayer().candidates.map(\.name)) ?? []
    return names.contains { $0.hasSuffix(Form.ownTiles) && !$0.hasPrefix("oneDNN") }
  }

  /// Samples that compute with the values of all inputs. No input is an index, a count or a shape.
  static let computing: [LayerCase] = deterministic.filter { test in
    test.sample.inputs.allSatisfy { input in
      if case .integers = input.fill { return false }
      return true
    }
  }

  /// Returns the operator, decoded as in a network.
  func makeLayer() throws -> any Operator { try decoded().operation }

  /// Returns the operator, decoded as in a network, with the constants that follow its inputs.
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

  /// Generates the inputs, rounded to the storage type. The inputs of a case are identical on every machine.
  func makeInputs(_ storage: ElementType = .float32) -> [ReferenceTensor] {
    filled(sample.inputs, from: 0, storage)
  }

  /// Generates tensors of the given shapes and fillings. The first tensor has the seed `first`. The seed of each later
  /// tensor is larger by 1 than the seed before it.
  private func filled(
    _ shapes: [(shape: Shape, fill: OperatorSample.Fill)], from first: Int, _ storage: ElementType
  ) -> [ReferenceTensor] {
    shapes.enumerated().map { position, input in
      var generator = SplitMix64(seed: UInt64(first + position) * 0x9E37_79B9 + 17)
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

  /// Returns the output types that shape inference predicts. If shapes alone are not enough, shape inference also gets
  /// the values of inputs.
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

/// A layer with inputs, and the outputs of the layer's reference implementation.
struct PreparedCase: Sendable {
  let layer: any Operator
  /// The sample's inputs, followed by the layer's constants.
  let inputs: [ReferenceTensor]
  /// The constants to pass to kernels, one entry for each input. The entry is nil for the sample's own inputs. Empty if
  /// the layer has no constants.
  let constants: [Constant?]
  let types: [TensorType]
  let answers: [ReferenceTensor]

  /// Prepares a case. Stores the result for later tests, because the reference implementation is slow.
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
  /// Returns the variants of constants to pass to kernels. In the first variant, all constants are known. In the second
  /// variant, no constant is known. The second variant exists only in `float32`, where constants are not rounded.
  func constantVariants(_ storage: ElementType) -> [[Constant?]] {
    constants.isEmpty || storage != .float32 ? [constants] : [constants, []]
  }
}

/// How a test runs a kernel: the layout and the element type of its inputs and outputs, and the number of threads.
struct Form: Sendable, CustomTestStringConvertible {
  var layout: Layout
  var storage: ElementType
  var threads: Int
  /// Whether to run kernels for matrix tiles, on emulated tiles.
  var emulatesTiles = false

  /// The suffix in the names of our kernels for matrix tiles.
  static let ownTiles = "on matrix tiles"

  var testDescription: String {
    "\(storage), \(layout), \(threads) thread\(threads == 1 ? "" : "s")"
  }

  var trial: KernelTrial {
    var trial = KernelTrial(layout: layout, storage: storage, threads: threads)
    trial.processor.emulatesMatrixTiles = emulatesTiles
    return trial
  }

  /// The forms in which kernels for matrix tiles run.
  static let onTiles: [Form] = [
    Form(layout: .dense, storage: .bfloat16, threads: 2, emulatesTiles: true),
    Form(layout: .channelsLast, storage: .bfloat16, threads: 1, emulatesTiles: true),
  ]

  /// Both layouts and both element types, with one or several threads.
  static let all: [Form] = [
    Form(layout: .dense, storage: .float32, threads: 1),
    Form(layout: .dense, storage: .float32, threads: 3),
    Form(layout: .channelsLast, storage: .float32, threads: 2),
    Form(layout: .dense, storage: .bfloat16, threads: 2),
    Form(layout: .channelsLast, storage: .bfloat16, threads: 1),
  ]
}
