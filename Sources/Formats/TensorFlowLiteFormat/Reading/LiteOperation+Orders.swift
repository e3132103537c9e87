import Graph
import Operators
import Tensors

extension LiteOperation {
  /// Returns inputs in one common axis order, so that they broadcast with each other. The order is channels-first if
  /// the graph stores at least one of the inputs in channels-first order, and if no input has more than four axes.
  func aligned(_ inputs: [Int]) throws -> (values: [Graph.ValueID], isPicture: Bool) {
    var hasPicture = false
    var fits = true
    for input in inputs {
      hasPicture = try hasPicture || value(input).isPicture
      fits = try fits && rank(input) <= 4
    }
    guard hasPicture, fits else { return (try inputs.map(written), false) }
    return (try inputs.map { try context.broadcast(try tensor($0)) }, true)
  }

  /// Returns a value as the operator's result. `isPicture` says whether the inputs, and so the result, are
  /// channels-first.
  func result(_ id: Graph.ValueID, like isPicture: Bool, grid: QuantizedGrid? = nil) -> LiteResult {
    LiteResult(id: id, isPicture: isPicture, grid: grid)
  }

  /// Adds an operator with one input, and returns its result in the input's axis order. The operator must accept any
  /// axis order and keep the shape.
  func same(_ operation: any Operator, of input: Int = 0, real: Bool = true) throws -> LiteResult {
    let value: LiteValue = try value(input)
    let source: Graph.ValueID = real ? try converted(value.id, to: .float32) : value.id
    return result(try add(operation, source), like: value.isPicture)
  }

  /// Converts an axis in the file's order to the non-negative axis of the value that the graph stores.
  func held(_ axis: Int, in value: LiteValue) -> Int {
    value.isPicture ? LiteValue.pictureAxis[axis] : axis
  }

  /// Reorders a list with one entry per axis, from the file's axis order to that of the value that the graph stores.
  func held<Entry>(_ entries: [Entry], in value: LiteValue) -> [Entry] {
    value.isPicture ? LiteValue.pictureAxes.map { entries[$0] } : entries
  }
}
