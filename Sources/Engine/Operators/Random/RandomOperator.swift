import Graph

/// Numbers drawn from a distribution, in a shape.
///
/// - Distributions: normal (mean, stdDev), uniform (minVal ..< maxVal), Bernoulli (1 with the
///   probability prob, else 0).
/// - Shapes: that of the input (`Like`), of the model (`Static`), or the numbers of the input
///   (`Dynamic`), whose output type is known before the run only when the input is a constant.
/// - ``seed``: numbers follow from it alone, so that every run gives the same; a negative one draws
///   a new seed every run.
/// - Numbers have 24 random bits, normal ones end 6.7 standard deviations from the mean.
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

  /// A negative seed draws other numbers every time.
  public static var isDeterministic: Bool { false }

  /// What is drawn from.
  public var distribution: Distribution
  /// Where the shape comes from.
  public var source: Source
  /// The start of the sequence; negative draws one.
  public var seed: Int64

  /// Draws from a distribution.
  public init(_ distribution: Distribution, _ source: Source, seed: Int64) {
    self.distribution = distribution
    self.source = source
    self.seed = seed
  }

  /// Inputs give a shape.
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

/// What random numbers are drawn from.
public protocol RandomDistribution: Sendable {
  /// The word in the operator's name: `Normal`.
  static var name: String { get }
  /// For listings.
  static var summary: String { get }
  /// The number at a place.
  func number(_ index: Int, of sequence: RandomSequence) -> Double
}

/// Where the shape of random numbers comes from.
public protocol RandomShapeSource: Sendable {
  /// The word in the operator's name: `Like`.
  static var name: String { get }
  /// For listings.
  static var summary: String { get }
  /// The shape, or nil when it depends on values that are not known yet.
  func shape(of inputs: [OperatorInput]) throws -> Shape?
}

/// The shape of the input.
public struct LikeShape: RandomShapeSource {
  public static let name = "Like"
  public static let summary = "in the input's shape"
  /// The shape of the operator's input.
  public init() {}
  public func shape(of inputs: [OperatorInput]) throws -> Shape? {
    try OperatorInput.only(inputs).shape
  }
}

/// The shape in the model.
public struct StaticShape: RandomShapeSource {
  public static let name = "Static"
  public static let summary = "in the model's shape"
  /// The shape.
  public let shape: Shape
  /// A shape that is known.
  public init(_ shape: Shape) { self.shape = shape }
  public func shape(of inputs: [OperatorInput]) throws -> Shape? { shape }
}

/// The numbers of the input.
public struct DynamicShape: RandomShapeSource {
  public static let name = "Dynamic"
  public static let summary = "in the shape that the input holds"
  /// The shape that the operator's input holds.
  public init() {}
  public func shape(of inputs: [OperatorInput]) throws -> Shape? {
    guard let values = try OperatorInput.only(inputs).value?.reals else { return nil }
    let sizes: [Int] = try values.map { (value: Double) -> Int in
      guard value >= 0, value <= Double(Int32.max), value == value.rounded() else {
        throw EngineError(
          .invalidInput,
          "the input holds the size \(value.indexText), expected a whole number from 0 on.")
      }
      return Int(bounding: value)
    }
    return Shape(sizes)
  }
}
