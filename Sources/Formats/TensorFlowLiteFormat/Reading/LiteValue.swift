import Graph
import Tensors

/// A tensor of the file, as a value of the graph.
///
/// Images in the file have their channels last. Operators of the graph need images with the channels before rows and
/// columns; in this module, a value in that order is called a picture. The graph may store a tensor of four axes in
/// either order. So an operator that reads a tensor asks for the order that it needs.
struct LiteValue {
  /// The value in the graph.
  var id: Graph.ValueID
  /// Whether the graph stores the file's `[N, H, W, C]` as `[N, C, H, W]`.
  var isPicture = false
  /// The quantisation grid to which the values are known to belong. Nil if no grid is known.
  var grid: QuantizedGrid?
  /// The tensor in the file if the value is constant. Nil otherwise.
  var constant: LiteModel.Tensor?

  /// The axes of a picture, as indices of the file's axes.
  static let pictureAxes = [0, 3, 1, 2]
  /// The axes in the file's order, as indices of a picture's axes.
  static let writtenAxes = [0, 2, 3, 1]
  /// For each of the file's axes, its index in a picture.
  static let pictureAxis = [0, 2, 3, 1]
}

/// A result of an operator of the file.
struct LiteResult {
  /// The value in the graph.
  var id: Graph.ValueID
  /// Whether the value is stored as a picture, `[N, C, H, W]`.
  var isPicture = false
  /// The quantisation grid to which the values are known to belong. If the operator only moved values, this is the
  /// input's grid.
  var grid: QuantizedGrid?
  /// The fused activation, which the builder still has to apply.
  var activation: LiteActivation = .none
  /// Whether the values are real numbers divided by the output's scale, which still need rounding to integers. If
  /// false, the values are the real numbers themselves.
  var isInSteps = false
  /// The tensor in the file that has the same values, if the values are constant. Nil otherwise.
  var constant: LiteModel.Tensor?

  /// Makes a result in the file's axis order.
  static func written(_ id: Graph.ValueID, grid: QuantizedGrid? = nil) -> LiteResult {
    LiteResult(id: id, grid: grid)
  }

  /// Makes a result in the axis order of a picture.
  static func picture(_ id: Graph.ValueID, grid: QuantizedGrid? = nil) -> LiteResult {
    LiteResult(id: id, isPicture: true, grid: grid)
  }

  /// Returns the same result, with a fused activation that the builder still has to apply.
  func followed(by activation: LiteActivation) -> LiteResult {
    var result = self
    result.activation = activation
    if activation != .none { result.grid = nil }
    return result
  }
}
