import Graph

/// The numbers of rows and columns to cut off or add at the four edges of an image.
public struct EdgeAmounts: Sendable, Hashable, CustomStringConvertible {
  /// Rows at the top.
  public var top: Int
  /// Rows at the bottom.
  public var bottom: Int
  /// Columns at the left.
  public var left: Int
  /// Columns at the right.
  public var right: Int

  /// Creates amounts at the four edges; by default none.
  public init(top: Int = 0, bottom: Int = 0, left: Int = 0, right: Int = 0) {
    self.top = top
    self.bottom = bottom
    self.left = left
    self.right = right
  }

  /// Whether all amounts are zero.
  public var isZero: Bool { self == EdgeAmounts() }

  /// The amounts as a text for messages: `top 1, bottom 1, left 2, right 2`.
  public var description: String { "top \(top), bottom \(bottom), left \(left), right \(right)" }
}

/// Cuts off rows and columns at the edges of an image.
///
/// With one input, `y = x[…, top : H − bottom, left : W − right]`. With two inputs,
/// `y = x[…, offset.top : offset.top + H₂, offset.left : offset.left + W₂]`, where `H₂ × W₂` is the size of the second
/// input. The second input's values are not read.
///
/// - Inputs: `[…, C, H, W]`, and optionally a reference: a tensor of any rank whose last two extents are `H₂ × W₂`.
/// - Defaults of the model file: amounts and offset that the file does not state are zero.
/// - Errors: the amounts exceed the size of the input. The reference does not fit into the input at the offset.
///
/// **Source:** `CropLayerParams`.
public struct CropOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Crop", summary: "cuts rows and columns off the edges")

  /// The rows and columns that the operator cuts off if it has one input.
  public let amounts: EdgeAmounts
  /// The offset of the result in the first input if the operator has two inputs; nil if it has one.
  public let referenceOffset: Offset?

  /// The first row and column of a crop to the size of another tensor, as indices into the uncropped image.
  public struct Offset: Sendable, Hashable {
    /// The number of rows to skip.
    public var top: Int
    /// The number of columns to skip.
    public var left: Int

    /// Creates an offset of `top` rows and `left` columns.
    public init(top: Int = 0, left: Int = 0) {
      self.top = top
      self.left = left
    }
  }

  /// Creates a crop that cuts off these amounts.
  public init(amounts: EdgeAmounts) {
    self.amounts = amounts
    referenceOffset = nil
  }

  /// Creates a crop to the size of the second input, starting at this offset.
  public init(referenceOffset: Offset) {
    amounts = EdgeAmounts()
    self.referenceOffset = referenceOffset
  }

  /// Returns the amounts that the crop cuts off, for inputs of these shapes.
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
