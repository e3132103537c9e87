import Graph
import Operators

/// A layer that is being read: the layer's settings, inputs and weights, and the graph that gets its operators.
struct KerasContext {
  /// The layer in the file.
  let layer: KerasLayer
  /// The tensors that the call passes to the layer.
  let inputs: [KerasTensor]
  /// The weight arrays of the layer, in Keras's order.
  let weights: [Constant]
  /// The builder of the whole network.
  let network: KerasBuilder

  var builder: GraphBuilder { network.builder }
  var settings: KerasSettings { layer.settings }

  /// Returns the input at an index, by default the first.
  func input(_ index: Int = 0) throws -> KerasTensor {
    guard inputs.indices.contains(index) else {
      throw invalid("the layer has \(inputs.count) inputs, expected \(index + 1) or more.")
    }
    return inputs[index]
  }

  /// Returns the first input. Throws if its rank is not in the range.
  func input(ranks: ClosedRange<Int>) throws -> KerasTensor {
    let x = try input()
    guard ranks.contains(x.rank) else {
      throw invalid(
        "its input has \(x.rank) axes, expected \(ranks.lowerBound == ranks.upperBound ? "\(ranks.lowerBound)" : "\(ranks.lowerBound) to \(ranks.upperBound)")."
      )
    }
    return x
  }

  /// Returns an error for a file that contradicts the format. `sentence` says how.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// Returns an error for a file that needs something a graph cannot express. `sentence` says what.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - Weights

  /// Returns the weight array at an index.
  func weights(_ index: Int, _ what: String) throws -> Constant {
    guard weights.indices.contains(index) else {
      throw invalid(
        weights.isEmpty
          ? "the weights are missing: no file with weights was given, or it has none for a layer of this name."
          : "\(what) are missing: the file has only \(weights.count) arrays for it.")
    }
    return weights[index]
  }

  /// Returns the weight array at an index. Throws if the array does not have this shape.
  func weights(_ index: Int, _ what: String, _ shape: [Int]) throws -> Constant {
    let found: Constant = try weights(index, what)
    guard found.shape.dimensions == shape else {
      throw invalid("\(what) are \(found.shape), expected \(Shape(shape)).")
    }
    return found
  }

  // MARK: - Values

  /// Returns the value of a tensor in Keras's axis order.
  func kerasOrdered(_ tensor: KerasTensor) throws -> Graph.ValueID {
    guard tensor.isChannelFirst else { return tensor.value }
    return try add(TransposeOperator(axes: KerasTensor.toKeras(tensor.rank)), tensor.value)
  }

  /// Returns the value of a tensor with the channels as the second axis, if the tensor's rank is 3 or more. Values of
  /// smaller ranks keep their axis order.
  func channelFirst(_ tensor: KerasTensor) throws -> Graph.ValueID {
    guard !tensor.isChannelFirst, tensor.rank >= 3 else { return tensor.value }
    return try add(TransposeOperator(axes: KerasTensor.toChannelFirst(tensor.rank)), tensor.value)
  }

  /// Returns the values of all inputs in one axis order, and the largest rank. The order is channels-first if all
  /// inputs have the same rank and at least one input is channels-first. Otherwise it is Keras's order.
  func aligned() throws -> (values: [Graph.ValueID], rank: Int, isChannelFirst: Bool) {
    let ranks: Set<Int> = Set(inputs.map(\.rank))
    guard ranks.count == 1, let rank = ranks.first, inputs.contains(where: \.isChannelFirst) else {
      return (try inputs.map(kerasOrdered), ranks.max() ?? 0, false)
    }
    return (try inputs.map(channelFirst), rank, true)
  }

  /// Returns the extents of a value in the graph's axis order. An unknown extent is nil.
  func extents(_ value: Graph.ValueID, rank: Int) -> [Int?] {
    guard let known = builder.extents(of: value), known.count == rank else {
      return [Int?](repeating: nil, count: rank)
    }
    return known
  }

  // MARK: - Making

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try builder.add(operation, inputs, outputs: 1, name: layer.name)[0]
  }

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try builder.add(operation, inputs, outputs: 1, name: layer.name)[0]
  }

  /// Adds a constant to the graph.
  func constant(_ constant: Constant, _ what: String) -> Graph.ValueID {
    builder.addConstant(constant, name: "\(layer.name)/\(what)")
  }

  /// Adds a constant vector, with a shape that broadcasts along the channels of a tensor.
  func perChannel(_ vector: Constant, _ tensor: KerasTensor, _ what: String) -> Graph.ValueID {
    let trailing: Int = tensor.isChannelFirst ? tensor.rank - 2 : 0
    let shape = Shape([vector.count] + [Int](repeating: 1, count: trailing))
    return constant(vector.reshaped(to: shape), what)
  }

  /// Returns a value as a tensor that has the first input's rank and axis order.
  func same(_ value: Graph.ValueID) throws -> KerasTensor {
    let x = try input()
    return KerasTensor(value, rank: x.rank, isChannelFirst: x.isChannelFirst)
  }

  /// Computes `function(element, number)` for each element of a value.
  func number(_ function: BinaryFunction, _ value: Graph.ValueID, _ number: Double) throws
    -> Graph.ValueID
  {
    try add(BinaryFunctionOperator(function, number: Float(number)), value)
  }
}

extension Constant {
  /// Returns the constant with its axes in the order `axes`.
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
      var offset = 0
      return (0..<target.count).map { _ in
        let value: Float = values[offset]
        var axis: Int = axes.count - 1
        while axis >= 0 {
          index[axis] += 1
          offset += moved[axis]
          if index[axis] < target[axis] { break }
          offset -= moved[axis] * target[axis]
          index[axis] = 0
          axis -= 1
        }
        return value
      }
    }
  }

  /// Returns the elements whose index along the last axis is in a range.
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
