import Graph

/// Lists all windows of one size along an axis: `y[…, m, w, …] = x[…, m · step + w, …]`.
///
/// - Input: any tensor whose extent along the axis is at least ``windowSize``.
/// - Output: one more axis than the input. Two axes replace ``axis``: first an axis with one index per window, then an
///   axis with one index per element of a window. There are ⌊(extent − windowSize) / step⌋ + 1 windows.
///
/// **Source:** `SlidingWindowsLayerParams`.
public struct SlidingWindowsOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "SlidingWindows", summary: "lists all windows along an axis")

  /// The axis; a negative one counts from the end.
  public let axis: Int
  /// The number of elements of a window; at least 1.
  public let windowSize: Int
  /// The distance between the starts of neighbouring windows, in elements; at least 1.
  public let step: Int

  /// Creates an operator that lists the windows along an axis.
  public init(axis: Int, windowSize: Int, step: Int) {
    self.axis = axis
    self.windowSize = windowSize
    self.step = step
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape))]
  }

  private func shape(_ input: Shape) throws -> Shape {
    let axis: Int = try input.axis(axis)
    guard input[axis] >= windowSize else {
      throw EngineError(
        .invalidInput,
        "a window has \(windowSize) elements, but axis \(axis) of the input (\(input)) has \(input[axis])."
      )
    }
    var dimensions: [Int] = input.dimensions
    dimensions[axis] = (input[axis] - windowSize) / step + 1
    dimensions.insert(windowSize, at: axis + 1)
    return try Shape.checked(dimensions)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axis: Int = try input.shape.axis(axis)
    return [
      ReferenceTensor(try shape(input.shape)) { index in
        var source = index
        let element: Int = source.remove(at: axis + 1)
        source[axis] = source[axis] * step + element
        return input[source]
      }
    ]
  }
}
