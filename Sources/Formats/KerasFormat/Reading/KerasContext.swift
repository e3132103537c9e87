import Graph
import Operators

/// A layer while it is read: its settings, inputs and weights, and the graph that its operators go to.
struct KerasContext {
  let layer: KerasLayer
  /// The tensors that it is called with.
  let inputs: [KerasTensor]
  let weights: [Constant]
  let network: KerasBuilder

  var builder: GraphBuilder { network.builder }
  var settings: KerasSettings { layer.settings }

  /// The only or first input.
  func input(_ index: Int = 0) throws -> KerasTensor {
    guard inputs.indices.contains(index) else {
      throw invalid("the layer has \(inputs.count) inputs, expected \(index + 1) or more.")
    }
    return inputs[index]
  }

  /// The first input, which has one of some ranks.
  func input(ranks: ClosedRange<Int>) throws -> KerasTensor {
    let x = try input()
    guard ranks.contains(x.rank) else {
      throw invalid(
        "its input has \(x.rank) axes, expected \(ranks.lowerBound == ranks.upperBound ? "\(ranks.lowerBound)" : "\(ranks.lowerBound) to \(ranks.upperBound)")."
      )
    }
    return x
  }

  /// An error that the file contradicts the format.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// An error that the file asks for what cannot be expressed.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - Weights

  /// The weights at a place.
  func weights(_ index: Int, _ what: String) throws -> Constant {
    guard weights.indices.contains(index) else {
      throw invalid(
        weights.isEmpty
          ? "the weights are missing: no file with weights is given, or it has none for a layer of this name."
          : "\(what) are missing: the file has only \(weights.count) arrays for it.")
    }
    return weights[index]
  }

  /// The weights at a place, of a shape.
  func weights(_ index: Int, _ what: String, _ shape: [Int]) throws -> Constant {
    let found: Constant = try weights(index, what)
    guard found.shape.dimensions == shape else {
      throw invalid("\(what) are \(found.shape), expected \(Shape(shape)).")
    }
    return found
  }

  // MARK: - Values

  /// The value of a tensor in Keras's order.
  func natural(_ tensor: KerasTensor) throws -> Graph.ValueID {
    guard tensor.isChannelFirst else { return tensor.value }
    return try add(TransposeOperator(axes: KerasTensor.toKeras(tensor.rank)), tensor.value)
  }

  /// The value of a tensor with the channels second; of other ranks than 3 to 5 as it is.
  func channelFirst(_ tensor: KerasTensor) throws -> Graph.ValueID {
    guard !tensor.isChannelFirst, tensor.rank >= 3 else { return tensor.value }
    return try add(TransposeOperator(axes: KerasTensor.toChannelFirst(tensor.rank)), tensor.value)
  }

  /// Inputs of one rank in the same order, in which they are given back.
  func alike() throws -> (values: [Graph.ValueID], rank: Int, isChannelFirst: Bool) {
    let ranks: Set<Int> = Set(inputs.map(\.rank))
    guard ranks.count == 1, let rank = ranks.first, inputs.contains(where: \.isChannelFirst) else {
      return (try inputs.map(natural), ranks.max() ?? 0, false)
    }
    return (try inputs.map(channelFirst), rank, true)
  }

  /// The extents of a tensor in the graph's order, nil for those that are not known.
  func extents(_ value: Graph.ValueID, rank: Int) -> [Int?] {
    guard let known = builder.extents(of: value), known.count == rank else {
      return [Int?](repeating: nil, count: rank)
    }
    return known
  }

  // MARK: - Making

  /// Adds an operator that makes one value.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try builder.add(operation, inputs, outputs: 1, name: layer.name)[0]
  }

  /// Adds an operator that makes one value.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try builder.add(operation, inputs, outputs: 1, name: layer.name)[0]
  }

  /// A value that does not change.
  func constant(_ constant: Constant, _ what: String) -> Graph.ValueID {
    builder.addConstant(constant, name: "\(layer.name)/\(what)")
  }

  /// A vector that is broadcast along the channels of a tensor.
  func perChannel(_ vector: Constant, _ tensor: KerasTensor, _ what: String) -> Graph.ValueID {
    let trailing: Int = tensor.isChannelFirst ? tensor.rank - 2 : 0
    let shape = Shape([vector.count] + [Int](repeating: 1, count: trailing))
    return constant(vector.reshaped(to: shape), what)
  }

  /// A tensor of the first input's rank and order.
  func same(_ value: Graph.ValueID) throws -> KerasTensor {
    let x = try input()
    return KerasTensor(value, rank: x.rank, isChannelFirst: x.isChannelFirst)
  }

  /// `function(value, number)` of each element.
  func number(_ function: BinaryFunction, _ value: Graph.ValueID, _ number: Double) throws
    -> Graph.ValueID
  {
    try add(BinaryFunctionOperator(function, number: Float(number)), value)
  }
}

extension Constant {
  /// The same values with the axes in another order.
  func transposed(_ axes: [Int]) -> Constant {
    precondition(axes.sorted() == Array(0..<shape.rank), "\(axes) of \(shape)")
    if axes == Array(0..<shape.rank) { return self }
    let target = Shape(axes.map { shape[$0] })
    return Constant(target, recipe: "axes \(axes)", of: [self]) { [self] in
      let values: [Float] = try floats()
      var steps = [Int](repeating: 1, count: shape.rank)
      for axis in stride(from: shape.rank - 2, through: 0, by: -1) {
        steps[axis] = steps[axis + 1] * shape[axis + 1]
      }
      let moved: [Int] = axes.map { steps[$0] }
      var index = [Int](repeating: 0, count: axes.count)
      var place = 0
      return (0..<target.count).map { _ in
        let value: Float = values[place]
        var axis: Int = axes.count - 1
        while axis >= 0 {
          index[axis] += 1
          place += moved[axis]
          if index[axis] < target[axis] { break }
          place -= moved[axis] * target[axis]
          index[axis] = 0
          axis -= 1
        }
        return value
      }
    }
  }

  /// Some neighbouring places of the last axis.
  func columns(_ range: Range<Int>) -> Constant {
    let width: Int = shape[-1]
    var part: Shape = shape
    part[-1] = range.count
    return Constant(part, recipe: "columns \(range)", of: [self]) { [self] in
      let values: [Float] = try floats()
      return stride(from: 0, to: values.count, by: width).flatMap { start in
        values[start + range.lowerBound..<start + range.upperBound]
      }
    }
  }
}
