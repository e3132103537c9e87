@_exported import Tensors

/// One operator of a graph: its parameters, its type rule and its definition in plain loops.
///
/// An operator knows no file format and no kernel. Readers make it (Formats/NeuralNetwork), back ends
/// compute it (``KernelProvider`` in Backends), and tests try it on samples (OperatorSamples). Weights,
/// biases and scales are inputs of the operator, like all tensors that it reads.
public protocol Operator: Sendable {
  /// Name and one line of what it computes.
  static var declaration: OperatorDeclaration { get }

  /// The name in messages and listings; that of the declaration, unless one type stands for a table of
  /// functions.
  var name: String { get }

  /// The types of the outputs for inputs of the given types, or nil when they depend on values
  /// that are not known before the network runs. Throws ``EngineError`` for inputs that do not fit;
  /// the caller puts the operator's name in front of the sentence.
  func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]?

  /// The outputs, when they follow from the types of the inputs alone, as the shape of a value does; nil
  /// for the many operators that need values. The planner then computes at planning time what depends on
  /// them.
  func constantOutputs(for inputs: [OperatorInput]) throws -> [ReferenceTensor]?

  /// The definition: plain loops in `Double`, the oracle of the tests and the fallback at run time.
  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor]

  /// The element types that it takes. The definition holds for all of them, see ``define(_:types:)``.
  static var elementTypes: ElementTypes { get }

  /// Whether an input may have elements of a type: indices and shapes may be whole numbers where the data
  /// may not.
  func takes(_ element: ElementType, at input: Int) -> Bool

  /// Whether the same inputs always give the same outputs, so that constants may be folded; false
  /// for random operators and for code of the user's.
  static var isDeterministic: Bool { get }
}

extension Operator {
  /// The name of the declaration.
  public var name: String { Self.declaration.name }

  /// Outputs follow from values unless an operator says otherwise.
  public func constantOutputs(for inputs: [OperatorInput]) throws -> [ReferenceTensor]? { nil }

  /// Operators are functions unless they say otherwise.
  public static var isDeterministic: Bool { true }
}

/// What the catalogue says of an operator.
public struct OperatorDeclaration: Sendable {
  /// The name in messages and listings: “Convolution”.
  public let name: String
  /// One line: what it computes.
  public let summary: String

  /// A declaration.
  public init(_ name: String, summary: String) {
    self.name = name
    self.summary = summary
  }
}

/// What a type rule may know of an input: its type, and its values where they are known already.
public struct OperatorInput: Sendable {
  /// Element type and shape.
  public let type: TensorType
  /// The values, for inputs that are constants or were computed before; nil while planning.
  public let constant: Constant?

  /// The extents of the input.
  public var shape: Shape { type.shape }

  /// The values where they are known; large constants are decoded anew by every call, and very large ones not at
  /// all: no shape, index or size has as many.
  public var value: ReferenceTensor? {
    constant.flatMap { $0.isTensor || $0.count <= Self.largestDecoded ? try? $0.tensor() : nil }
  }

  /// 128 MiB in `Double`.
  private static var largestDecoded: Int { 1 << 24 }

  /// An input of a type, with its values where they are known.
  public init(_ type: TensorType, constant: Constant? = nil) {
    self.type = type
    self.constant = constant
  }

  /// An input of a type, with its values where they are known.
  public init(_ type: TensorType, value: ReferenceTensor?) {
    self.init(type, constant: value.map { Constant($0) })
  }
}
