import Graph

/// Draws the elements of a tensor from a distribution of random numbers.
///
/// - Distributions: normal (mean, stdDev), uniform (minVal ..< maxVal), Bernoulli (1 with the probability prob,
///   otherwise 0).
/// - Shape of the output: the shape of the input (`Like`), a shape that the model stores (`Static`), or the shape that
///   the input's values state (`Dynamic`). A dynamic shape is known before the run only if the input is a constant.
/// - ``seed``: with a seed of at least 0, every run returns the same numbers. With a negative seed, every run uses a
///   new random seed.
/// - Uniform numbers have 24 random bits. Normally distributed numbers are within 6.8 standard deviations of the mean.
/// - Errors: a negative or fractional size in a dynamic shape.
///
/// **Source:** `Random{Normal,Uniform,Bernoulli}{Like,Static,Dynamic}LayerParams`; Box and Muller
/// (1958), doi:10.1214/aoms/1177706645.
public struct RandomOperator<Distribution: RandomDistribution, Source: RandomShapeSource>: Operator
{
  public static var declaration: OperatorDeclaration {
    OperatorDeclaration(
      "Random\(Distribution.name)\(Source.name)",
      summary: "\(Distribution.summary), \(Source.summary)")
  }

  /// False, because an operator with a negative seed draws different numbers in every run.
  public static var isDeterministic: Bool { false }

  /// The distribution from which the numbers are drawn.
  public var distribution: Distribution
  /// The source of the output's shape.
  public var source: Source
  /// The seed of the random numbers. If the seed is negative, every run uses a new random seed.
  public var seed: Int64

  /// Creates an operator that draws random numbers from a distribution.
  public init(_ distribution: Distribution, _ source: Source, seed: Int64) {
    self.distribution = distribution
    self.source = source
    self.seed = seed
  }

  /// Returns true for all element types with which a graph computes, because an input only determines the output's
  /// shape.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    ElementTypes.all.contains(element)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try source.shape(of: inputs).map { [TensorType($0)] }
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let known: [OperatorInput] = inputs.map { OperatorInput(TensorType($0.shape), value: $0) }
    guard let shape = try source.shape(of: known) else { return [] }
    let sequence = RandomSequence(seed: seed)
    return [
      ReferenceTensor(shape, (0..<shape.count).map { distribution.number($0, of: sequence) })
    ]
  }
}

/// A distribution from which random numbers are drawn.
public protocol RandomDistribution: Sendable {
  /// The word for the distribution in the operator's name, for example `Normal`.
  static var name: String { get }
  /// A phrase that names the random numbers. This phrase begins the operator's summary in listings.
  static var summary: String { get }
  /// Returns the element of a random tensor at this index, computed from random bits of the sequence.
  func number(_ index: Int, of sequence: RandomSequence) -> Double
}

/// The source of a random tensor's shape.
public protocol RandomShapeSource: Sendable {
  /// The word for the shape source in the operator's name, for example `Like`.
  static var name: String { get }
  /// A phrase that names the shape. This phrase ends the operator's summary in listings.
  static var summary: String { get }
  /// Returns the shape of the output. Nil if the shape depends on input values that are not known yet.
  func shape(of inputs: [OperatorInput]) throws -> Shape?
}

/// Gives the output the shape of the input.
public struct LikeShape: RandomShapeSource {
  public static let name = "Like"
  public static let summary = "in the input's shape"
  /// Creates the source.
  public init() {}
  public func shape(of inputs: [OperatorInput]) throws -> Shape? {
    try OperatorInput.only(inputs).shape
  }
}

/// Gives the output a shape that the model stores.
public struct StaticShape: RandomShapeSource {
  public static let name = "Static"
  public static let summary = "in the model's shape"
  /// The shape of the output.
  public let shape: Shape
  /// Creates a source that returns this shape.
  public init(_ shape: Shape) { self.shape = shape }
  public func shape(of inputs: [OperatorInput]) throws -> Shape? { shape }
}

/// Reads the extents of the output from the values of the input.
public struct DynamicShape: RandomShapeSource {
  public static let name = "Dynamic"
  public static let summary = "in the shape that the input holds"
  /// Creates the source.
  public init() {}
  public func shape(of inputs: [OperatorInput]) throws -> Shape? {
    guard let values = try OperatorInput.only(inputs).value?.reals else { return nil }
    let sizes: [Int] = try values.map { (value: Double) -> Int in
      guard value >= 0, value <= Double(Int32.max), value == value.rounded() else {
        throw EngineError(
          .invalidInput,
          "the input holds the size \(value.indexText), expected an integer of at least 0.")
      }
      return Int(bounding: value)
    }
    return Shape(sizes)
  }
}
