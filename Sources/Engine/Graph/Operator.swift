@_exported import Tensors

/// An operator of a graph: its parameters, its shape inference and its reference implementation.
///
/// An operator knows neither file formats nor kernels. Readers (`Formats`) create operators, back ends
/// (``KernelProvider`` in `Backends`) compute them, and tests run samples of them (`OperatorSamples`). Weights, biases
/// and scales are inputs of the operator, like all tensors that it reads.
public protocol Operator: Sendable {
  /// The operator's name, and one line about what the operator computes.
  static var declaration: OperatorDeclaration { get }

  /// The name in messages and listings. It is the declaration's name, unless the Swift type implements several
  /// functions, each with its own name.
  var name: String { get }

  /// Infers the types of the outputs for inputs of the given types. Returns nil if the output types depend on values
  /// that are not known before the network runs. Throws ``EngineError`` for invalid inputs. The caller adds the
  /// operator's name to the message.
  func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]?

  /// Returns the outputs if they follow from the types of the inputs alone, as the output of a shape operator does.
  /// Most operators return nil. If the outputs are known, planning also computes values that depend only on them.
  func constantOutputs(for inputs: [OperatorInput]) throws -> [ReferenceTensor]?

  /// The reference implementation. It computes the outputs in `Double`, in loops without optimisation. Tests compare
  /// kernels with the reference implementation, and plans call it if no kernel fits.
  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor]

  /// The element types that the operator takes. The reference implementation supports all of these types, see
  /// ``define(_:types:)``.
  static var elementTypes: ElementTypes { get }

  /// Returns whether an input may have elements of a type. Inputs that hold indices or shapes may be integers even if
  /// inputs that hold data may not.
  func takes(_ element: ElementType, at input: Int) -> Bool

  /// Whether the same inputs always give the same outputs, so that constants may be folded. False for random operators
  /// and for custom layers.
  static var isDeterministic: Bool { get }
}

extension Operator {
  /// The name of the declaration.
  public var name: String { Self.declaration.name }

  /// Nil by default.
  public func constantOutputs(for inputs: [OperatorInput]) throws -> [ReferenceTensor]? { nil }

  /// True by default.
  public static var isDeterministic: Bool { true }
}

/// The entry for an operator in listings of operators.
public struct OperatorDeclaration: Sendable {
  /// The name in messages and listings, for example “Convolution”.
  public let name: String
  /// One line about what the operator computes.
  public let summary: String

  /// Creates a declaration.
  public init(_ name: String, summary: String) {
    self.name = name
    self.summary = summary
  }
}

/// The facts that shape inference knows about an input: its type, and its values if they are already known.
public struct OperatorInput: Sendable {
  /// The element type and the shape.
  public let type: TensorType
  /// The values if the input is a constant or has already been computed; else nil.
  public let constant: Constant?

  /// The extents of the input.
  public var shape: Shape { type.shape }

  /// The values if they are known. Every access decodes a large constant again. Nil for very large constants, because
  /// no shape, index or size has that many elements.
  public var value: ReferenceTensor? {
    constant.flatMap { $0.isTensor || $0.count <= Self.largestDecoded ? try? $0.tensor() : nil }
  }

  /// The largest number of elements of a constant that ``value`` decodes. They take 128 MiB in `Double`.
  private static var largestDecoded: Int { 1 << 24 }

  /// Creates an input of a type, with its values if they are known.
  public init(_ type: TensorType, constant: Constant? = nil) {
    self.type = type
    self.constant = constant
  }

  /// Creates an input of a type, with its values if they are known.
  public init(_ type: TensorType, value: ReferenceTensor?) {
    self.init(type, constant: value.map { Constant($0) })
  }
}
