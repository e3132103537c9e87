import Backends
import Graph
import ModelFormat

/// Lists all windows of a size along an axis: `y[…, m, w, …] = x[…, m · step + w, …]`.
///
/// - Input: any tensor that has the axis, at least as long as a window.
/// - Output: one rank more; the axis becomes ⌊(extent − size) / step⌋ + 1 windows, followed by the
///   elements of a window.
///
/// **Source:** `SlidingWindowsLayerParams`.
public struct SlidingWindowsOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "SlidingWindows", specification: "slidingWindows", summary: "lists all windows along an axis")

  /// The axis; negative counts from the end.
  public let axis: Int
  /// The elements of a window; at least 1.
  public let windowSize: Int
  /// From the start of one window to that of the next; at least 1.
  public let step: Int

  /// Windows along an axis.
  public init(axis: Int, windowSize: Int, step: Int) {
    self.axis = axis
    self.windowSize = windowSize
    self.step = step
  }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .slidingWindows(let message)? = decoder.message.layer else {
      throw decoder.notA("slidingWindows")
    }
    try decoder.requireInputs(1...1)
    self.init(
      axis: try decoder.integer(message.axis, "axis"),
      windowSize: try decoder.size(message.windowSize, "windowSize"),
      step: try decoder.size(message.step, "step"))
    guard windowSize > 0, step > 0 else {
      throw decoder.invalid(
        "windowSize is \(windowSize) and step is \(step), expected both at least 1.")
    }
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
        let place: Int = source.remove(at: axis + 1)
        source[axis] = source[axis] * step + place
        return input[source]
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [
      .moves("native windows") { inputs, outputs in
        let axis: Int = try inputs[0].axis(axis)
        let dimensions: [Move.Dimension] = (0..<outputs[0].rank).map { target in
          let source: Int = target > axis ? target - 1 : target
          return Move.Dimension(
            extent: outputs[0][target], sourceAxis: source,
            sourceStep: target == axis ? step : 1, targetAxis: target)
        }
        return [
          Move(
            sourceRank: inputs[0].rank, targetRank: outputs[0].rank, dimensions: dimensions)
        ]
      }
    ]
  }
}
