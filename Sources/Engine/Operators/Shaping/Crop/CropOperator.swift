import Graph

/// Amounts at the four edges of a picture: what is cut off or added.
public struct EdgeAmounts: Sendable, Hashable, CustomStringConvertible {
  /// Rows above.
  public var top: Int
  /// Rows below.
  public var bottom: Int
  /// Columns to the left.
  public var left: Int
  /// Columns to the right.
  public var right: Int

  /// Amounts at the four edges.
  public init(top: Int = 0, bottom: Int = 0, left: Int = 0, right: Int = 0) {
    self.top = top
    self.bottom = bottom
    self.left = left
    self.right = right
  }

  /// Whether all amounts are zero.
  public var isZero: Bool { self == EdgeAmounts() }

  /// For messages: `top 1, bottom 1, left 2, right 2`.
  public var description: String { "top \(top), bottom \(bottom), left \(left), right \(right)" }
}

/// Cuts rows and columns off the edges of a picture.
///
/// With one input, `y = x[…, top : H − bottom, left : W − right]`. With two,
/// `y = x[…, offset.top : offset.top + H₂, offset.left : offset.left + W₂]`, where `H₂ × W₂` is the
/// size of the second input, whose values are not read.
///
/// - Inputs: `[…, C, H, W]`, and optionally a reference of any rank that ends in `H₂ × W₂`.
/// - Defaults: amounts and offset that are not given are zero.
/// - Errors: more is cut off than there is; the reference does not fit at the offset.
///
/// **Source:** `CropLayerParams`.
public struct CropOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Crop", summary: "cuts rows and columns off the edges")

  /// What is cut off when there is one input.
  public let amounts: EdgeAmounts
  /// The rows and columns skipped before the second input's size is taken; nil when there is one
  /// input.
  public let referenceOffset: Offset?

  /// Where a crop to the size of another tensor starts.
  public struct Offset: Sendable, Hashable {
    /// Rows skipped.
    public var top: Int
    /// Columns skipped.
    public var left: Int

    /// Rows and columns skipped.
    public init(top: Int = 0, left: Int = 0) {
      self.top = top
      self.left = left
    }
  }

  /// A crop by amounts.
  public init(amounts: EdgeAmounts) {
    self.amounts = amounts
    referenceOffset = nil
  }

  /// A crop to the size of the second input.
  public init(referenceOffset: Offset) {
    amounts = EdgeAmounts()
    self.referenceOffset = referenceOffset
  }

  /// What is cut off an input of the given shape, whatever way it is stated.
  public func amounts(for inputs: [Shape]) throws -> EdgeAmounts {
    let input: Shape = inputs[0]
    try input.requireRank(atLeast: 2)
    guard let offset = referenceOffset else {
      guard input[-2] >= amounts.top + amounts.bottom, input[-1] >= amounts.left + amounts.right
      else {
        throw EngineError(
          .invalidInput, "the input (\(input)) is smaller than what is cut off (\(amounts)).")
      }
      return amounts
    }
    let reference: Shape = inputs[1]
    try reference.requireRank(atLeast: 2, "the second input")
    let result = EdgeAmounts(
      top: offset.top, bottom: input[-2] - offset.top - reference[-2],
      left: offset.left, right: input[-1] - offset.left - reference[-1])
    guard result.bottom >= 0, result.right >= 0 else {
      throw EngineError(
        .invalidInput,
        "a crop of \(reference[-2]) × \(reference[-1]) at row \(offset.top), column \(offset.left) reaches outside the input (\(input))."
      )
    }
    return result
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let cut: EdgeAmounts = try amounts(for: inputs.map(\.shape))
    var shape: Shape = inputs[0].shape
    shape[-2] -= cut.top + cut.bottom
    shape[-1] -= cut.left + cut.right
    return [inputs[0].type.reshaped(to: shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let cut: EdgeAmounts = try amounts(for: inputs.map(\.shape))
    var shape: Shape = input.shape
    shape[-2] -= cut.top + cut.bottom
    shape[-1] -= cut.left + cut.right
    return [
      ReferenceTensor(shape) { index in
        var source = index
        source[index.count - 2] += cut.top
        source[index.count - 1] += cut.left
        return input[source]
      }
    ]
  }
}
