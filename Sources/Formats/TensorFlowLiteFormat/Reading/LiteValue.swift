import Graph
import Tensors

/// A tensor of the file in the graph.
///
/// TensorFlow Lite keeps the channels of pictures last in its shapes, the graph has them in front of rows and
/// columns. So a tensor of four axes may be held in either order; who reads it asks for the one that it needs.
struct LiteValue {
  /// The value in the graph.
  var id: Graph.ValueID
  /// Whether `[N, H, W, C]` of the file is held as `[N, C, H, W]`.
  var isPicture = false
  /// The real numbers that the values are known to be among.
  var grid: QuantizedGrid?
  /// The file's tensor, where its values do not change.
  var constant: LiteModel.Tensor?

  /// The file's axes in the order in which pictures are held.
  static let pictureAxes = [0, 3, 1, 2]
  /// The axes of a picture in the file's order.
  static let writtenAxes = [0, 2, 3, 1]
  /// Where each of the file's axes stands in a picture.
  static let pictureAxis = [0, 2, 3, 1]
}

/// What an operator has made.
struct LiteResult {
  /// The value in the graph.
  var id: Graph.ValueID
  /// Whether it is held as a picture.
  var isPicture = false
  /// The real numbers that its values are among: those of the input, where values were only moved.
  var grid: QuantizedGrid?
  /// The bounds that the file wants the values kept in.
  var activation: LiteActivation = .none
  /// Whether the values are steps of the output's grid, to be rounded, and no real numbers yet.
  var isInSteps = false
  /// The file's tensor that holds the same values, where they do not change.
  var constant: LiteModel.Tensor?

  /// A value in the file's order.
  static func written(_ id: Graph.ValueID, grid: QuantizedGrid? = nil) -> LiteResult {
    LiteResult(id: id, grid: grid)
  }

  /// A picture.
  static func picture(_ id: Graph.ValueID, grid: QuantizedGrid? = nil) -> LiteResult {
    LiteResult(id: id, isPicture: true, grid: grid)
  }

  /// The same with a function that follows.
  func followed(by activation: LiteActivation) -> LiteResult {
    var result = self
    result.activation = activation
    if activation != .none { result.grid = nil }
    return result
  }
}
