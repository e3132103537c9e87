import Graph
import Operators
import Tensors

extension LiteOperation {
  /// Inputs that are to be broadcast against each other, in one order: as pictures where one of them is held so.
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

  /// A result in the order of what was read.
  func result(_ id: Graph.ValueID, like isPicture: Bool, grid: QuantizedGrid? = nil) -> LiteResult {
    LiteResult(id: id, isPicture: isPicture, grid: grid)
  }

  /// The result of an operator that reads one input in any order and gives a tensor of its shape.
  func same(_ operation: any Operator, of input: Int = 0, real: Bool = true) throws -> LiteResult {
    let value: LiteValue = try value(input)
    let source: Graph.ValueID = real ? try converted(value.id, to: .float32) : value.id
    return result(try add(operation, source), like: value.isPicture)
  }

  /// One of the file's axes, counted from the first, among those of a value that is held in some order.
  func held(_ axis: Int, in value: LiteValue) -> Int {
    value.isPicture ? LiteValue.pictureAxis[axis] : axis
  }

  /// One entry an axis in the file's order, in the order in which a value is held.
  func held<Entry>(_ entries: [Entry], in value: LiteValue) -> [Entry] {
    value.isPicture ? LiteValue.pictureAxes.map { entries[$0] } : entries
  }
}
