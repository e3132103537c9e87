import Graph
import Operators
import Tensors

extension KerasContext {
  /// Returns this layer with `inputs` and `weights` in place of its own.
  func with(_ inputs: [KerasTensor], _ weights: [Constant]) -> KerasContext {
    KerasContext(layer: layer, inputs: inputs, weights: weights, network: network)
  }

  /// Returns the tensors in arguments, in the order of the arguments. Constant numbers become tensors, too. `None` and
  /// booleans are left out.
  ///
  /// - Parameter inputs: The inputs of the model, if the layer is a model. Tensors that the call passes by name get the
  ///   order of these inputs.
  func tensors(in arguments: [KerasArgument], orderedAs inputs: [KerasLayer.Source] = []) throws
    -> [KerasTensor]
  {
    try arguments.flatMap { argument -> [KerasTensor] in
      switch argument {
      case .list(let list): return try tensors(in: list)
      case .named(let named):
        let names: [String] = inputs.map(\.layer)
        let ordered: [String] =
          Set(names) == Set(named.keys) ? names : named.keys.sorted()
        return try tensors(in: ordered.compactMap { named[$0] })
      case .nothing, .truth: return []
      default: return [try tensor(argument)]
      }
    }
  }

  /// Returns an argument as a tensor. Numbers become a constant tensor. A scalar becomes a vector of one element.
  func tensor(_ argument: KerasArgument) throws -> KerasTensor {
    switch argument {
    case .tensor(let tensor): return tensor
    case .number(let number): return tensor(of: ReferenceTensor([], [number]))
    case .truth(let truth): return tensor(of: ReferenceTensor([], [truth ? 1 : 0]))
    case .array(let array): return tensor(of: array)
    case .list(let list):
      if let array = KerasArgument.numbers(list) { return tensor(of: array) }
      // The list contains tensors. TensorFlow stacks the items of such a list.
      let parts: [KerasTensor] = try list.map(tensor)
      guard !parts.isEmpty, Set(parts.map(\.rank)).count == 1 else {
        throw unsupported("an argument is \(argument), expected tensors of one rank.")
      }
      return try stacked(parts, axis: 0)
    default: throw unsupported("an argument is \(argument), expected a tensor or numbers.")
    }
  }

  /// Adds a constant tensor.
  private func tensor(of array: ReferenceTensor) -> KerasTensor {
    let shape: Shape = array.shape.rank == 0 ? [1] : array.shape
    let held = ReferenceTensor(shape, array.reals)
    return KerasTensor(constant(Constant(held), "constant"), rank: array.shape.rank)
  }

  /// Stacks tensors of equal shapes along a new axis.
  func stacked(_ parts: [KerasTensor], axis: Int) throws -> KerasTensor {
    guard let rank = parts.first?.rank, parts.allSatisfy({ $0.rank == rank }) else {
      throw invalid(
        "it joins tensors of \(parts.map(\.rank)) axes, expected one or more tensors of equal rank."
      )
    }
    let values: [Graph.ValueID] = try parts.map(kerasOrdered)
    if rank == 0 {
      let made = values.count == 1 ? values[0] : try add(ConcatNDOperator(axis: 0), values)
      return KerasTensor(made, rank: 1)
    }
    guard (-rank - 1...rank).contains(axis) else {
      throw invalid("the axis \(axis) does not exist, expected \(-rank - 1) to \(rank).")
    }
    return KerasTensor(try add(StackOperator(axis: axis), values), rank: rank + 1)
  }
}

extension KerasArgument {
  /// Returns the numbers in nested lists as an array. Nil if the lists contain anything but numbers, or have unequal
  /// lengths.
  static func numbers(_ list: [KerasArgument]) -> ReferenceTensor? {
    var shape: [Int]?
    var numbers: [Double] = []
    for item in list {
      let part: ReferenceTensor
      switch item {
      case .number(let number): part = ReferenceTensor([], [number])
      case .truth(let truth): part = ReferenceTensor([], [truth ? 1 : 0])
      case .array(let array): part = array
      case .list(let list):
        guard let array = Self.numbers(list) else { return nil }
        part = array
      default: return nil
      }
      guard shape == nil || shape == part.shape.dimensions else { return nil }
      shape = part.shape.dimensions
      numbers += part.reals
    }
    return ReferenceTensor(Shape([list.count] + (shape ?? [])), numbers)
  }
}
