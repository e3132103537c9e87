/// One layer of a network: its parameters, its shape rule, its definition in plain loops and its
/// fast kernels.
///
/// Each conformer lives in a folder of its own (`X.swift` parameters and shape rule,
/// `X+Decoding.swift`, `X+Reference.swift`, `X+Kernels.swift`, `X+Samples.swift`), and everything
/// else (tests, benchmarks, `atelier layers`, the support table) reads it through the catalogue.
public protocol Layer: Sendable {
  /// Name, specification field and one line of what it computes.
  static var declaration: LayerDeclaration { get }

  /// Reads the parameters from a NeuralNetwork layer; throws an `invalidModel` error, made by
  /// ``LayerDecoder/invalid(_:)``, when they contradict the specification.
  init(decoding decoder: LayerDecoder) throws

  /// The types of the outputs for inputs of the given types, or nil when they depend on values
  /// that are not known before the network runs. Throws ``EngineError`` for inputs that do not fit;
  /// the caller puts the layer's name in front of the sentence.
  func outputTypes(for inputs: [LayerInput]) throws -> [TensorType]?

  /// The outputs, when they follow from the types of the inputs alone, as the shape of a value does; nil
  /// for the many layers that need values. The planner then computes at planning time what depends on
  /// them.
  func constantOutputs(for inputs: [LayerInput]) throws -> [ReferenceTensor]?

  /// The definition: plain loops in `Double`, the oracle of the tests and the fallback at run time.
  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor]

  /// The fast candidates, best first; the reference stands behind the last of them.
  var kernels: [KernelCandidate] { get }

  /// Whether the same inputs always give the same outputs, so that constants may be folded; false
  /// for random layers and for code of the user's.
  static var isDeterministic: Bool { get }

  /// Whether its first output has no dimensions at all by the specification. It is kept as one axis of
  /// one element; ``NetworkContext/scalars`` remembers it for layers that count axes.
  var makesScalar: Bool { get }

  /// Cases that the conformance tests run: shapes from real models, odd sizes, bad inputs.
  static var samples: [LayerSample] { get }
}

extension Layer {
  /// No fast candidate: the reference computes.
  public var kernels: [KernelCandidate] { [] }

  /// Outputs follow from values unless a layer says otherwise.
  public func constantOutputs(for inputs: [LayerInput]) throws -> [ReferenceTensor]? { nil }

  /// Most layers make one dimension or more.
  public var makesScalar: Bool { false }

  /// Layers are functions unless they say otherwise.
  public static var isDeterministic: Bool { true }
}

/// A layer that no model holds: passes and gradients make it.
public protocol DerivedLayer: Layer {}

extension DerivedLayer {
  /// Throws: there is no message to decode.
  public init(decoding decoder: LayerDecoder) throws {
    throw decoder.invalid("\(Self.declaration.name) is made by the engine; no model holds it.")
  }
}

/// What the catalogue says of a layer.
public struct LayerDeclaration: Sendable {
  /// The name in messages and listings: “Convolution”.
  public let name: String
  /// The field of `NeuralNetworkLayer.layer` that it decodes: `convolution`. Nil for layers that only passes
  /// make.
  public let specification: String?
  /// One line: what it computes.
  public let summary: String

  /// A declaration.
  public init(_ name: String, specification: String?, summary: String) {
    self.name = name
    self.specification = specification
    self.summary = summary
  }
}

/// What a shape rule may know of an input: its type, and its values where they are known already.
public struct LayerInput: Sendable {
  /// Element type and shape.
  public let type: TensorType
  /// The values, for inputs that are constants or were computed before; nil while planning.
  public let value: ReferenceTensor?

  /// The extents of the input.
  public var shape: Shape { type.shape }

  /// An input of a type, with its values where they are known.
  public init(_ type: TensorType, value: ReferenceTensor? = nil) {
    self.type = type
    self.value = value
  }
}
