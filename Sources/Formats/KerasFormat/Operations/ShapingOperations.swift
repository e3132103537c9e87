import Graph
import Operators
import Tensors

extension KerasOperationReader {
  /// Operations that reshape, transpose, repeat or pad values.
  static let shaping: [KerasOperationReader] = [
    KerasOperationReader("reshape", parameters: "x|tensor newshape|shape") { try $0.reshaped() },
    KerasOperationReader("ravel", parameters: "x") { operation in
      let made = try operation.context.add(
        ReshapeStaticOperator(targetShape: [-1]), operation.context.kerasOrdered(operation.tensor())
      )
      return KerasTensor(made, rank: 1)
    },
    KerasOperationReader("transpose", parameters: "x|a axes|perm conjugate") { operation in
      let x: KerasTensor = try operation.tensor()
      return try operation.reordered(operation.ints("axes") ?? (0..<x.rank).reversed())
    },
    KerasOperationReader("swapaxes", parameters: "x axis1 axis2") { operation in
      let x: KerasTensor = try operation.tensor()
      var order = Array(0..<x.rank)
      order.swapAt(
        try operation.axis(operation.int("axis1") ?? 0, x.rank),
        try operation.axis(operation.int("axis2") ?? 1, x.rank))
      return try operation.reordered(order)
    },
    KerasOperationReader("moveaxis", parameters: "x source destination") { operation in
      let x: KerasTensor = try operation.tensor()
      let from: [Int] = try (operation.ints("source") ?? []).map {
        try operation.axis($0, x.rank)
      }
      let to: [Int] = try (operation.ints("destination") ?? []).map {
        try operation.axis($0, x.rank)
      }
      guard from.count == to.count, Set(from).count == from.count, Set(to).count == to.count else {
        throw operation.wrong("destination", "different axes, one for each axis of 'source'")
      }
      var order: [Int] = (0..<x.rank).filter { !from.contains($0) }
      for (position, source) in zip(to, from).sorted(by: { $0.0 < $1.0 }) {
        order.insert(source, at: position)
      }
      return try operation.reordered(order)
    },
    KerasOperationReader("expand_dims", parameters: "x|input axis|dim") { operation in
      let x: KerasTensor = try operation.tensor()
      let stated: [Int] = try operation.ints("axis") ?? [0]
      let rank: Int = x.rank + stated.count
      let axes: [Int] = try stated.map { try operation.axis($0, rank) }
      // The graph already stores a scalar as a vector of one element.
      guard x.rank > 0 else { return KerasTensor(x.value, rank: 1) }
      let made = try operation.context.add(
        ExpandDimsOperator(axes: axes.sorted()), operation.context.kerasOrdered(x))
      return KerasTensor(made, rank: rank)
    },
    KerasOperationReader("squeeze", parameters: "x|input axis|squeeze_dims") { try $0.squeezed() },
    KerasOperationReader("tile", parameters: "x|input repeats|multiples") { operation in
      let x: KerasTensor = try operation.tensor()
      let times: [Int] = try operation.ints("repeats") ?? []
      guard times.count == x.rank, times.allSatisfy({ (1...1 << 20).contains($0) }) else {
        throw operation.wrong("repeats", "a number of 1 or more for each of \(x.rank) axes")
      }
      let made = try operation.context.add(
        TileOperator(repetitions: times), operation.context.kerasOrdered(x))
      return KerasTensor(made, rank: x.rank)
    },
    KerasOperationReader("repeat", parameters: "x|input repeats axis") { try $0.repeated() },
    KerasOperationReader("flip", "reverse", parameters: "x|tensor axis") { operation in
      let x: KerasTensor = try operation.tensor()
      let axes: [Int] = try operation.ints("axis") ?? Array(0..<x.rank)
      var isReversed = [Bool](repeating: false, count: x.rank)
      for axis in axes { isReversed[try operation.axis(axis, x.rank)] = true }
      let made = try operation.context.add(
        ReverseOperator(isReversed: isReversed), operation.context.kerasOrdered(x))
      return KerasTensor(made, rank: x.rank)
    },
    KerasOperationReader("shape", parameters: "x|input", harmless: ["out_type"]) { operation in
      let x: KerasTensor = try operation.tensor()
      guard x.rank > 0 else { throw operation.wrong("x", "a tensor with axes") }
      let made = try operation.context.add(GetShapeOperator(), operation.context.kerasOrdered(x))
      return KerasTensor(made, rank: 1)
    },
    KerasOperationReader(
      "pad", parameters: "x|tensor pad_width|paddings mode constant_values"
    ) { try $0.padded() },
  ]
}

extension KerasOperation {
  /// Returns an axis as a non-negative number. A negative `axis` counts back from the last axis.
  func axis(_ axis: Int, _ rank: Int) throws -> Int {
    let resolved: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(resolved) else {
      throw context.invalid("the axis \(axis) does not exist, the input has \(rank) axes.")
    }
    return resolved
  }

  /// Transposes `x` so that its axes have the order `order`.
  fileprivate func reordered(_ order: [Int]) throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    guard try !flag("conjugate") else { throw wrong("conjugate", "False") }
    let axes: [Int] = try order.map { try axis($0, x.rank) }
    guard axes.sorted() == Array(0..<x.rank) else {
      throw wrong("axes", "each of \(x.rank) axes once")
    }
    return KerasTensor(
      try context.add(TransposeOperator(axes: axes), context.kerasOrdered(x)), rank: x.rank)
  }

  fileprivate func reshaped() throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    let value = try context.kerasOrdered(x)
    let stated: KerasArgument = try argument("newshape")
    var parts: [KerasArgument] = [stated]
    if case .list(let list) = stated { parts = list }
    var sizes: [Int] = []
    for (position, part) in parts.enumerated() {
      if case .nothing = part {
        // Keras did not know this extent. At position 0 the extent is the batch size. At other positions the extent
        // follows from the number of elements.
        sizes.append(position == 0 ? 0 : -1)
      } else if let known = try ints(of: part) {
        sizes += known
      } else {
        return try reshaped(value, to: parts)
      }
    }
    guard sizes.filter({ $0 == -1 }).count <= 1, sizes.allSatisfy({ $0 >= -1 }) else {
      throw wrong("newshape", "extents of 1 or more, and at most one -1")
    }
    let target: [Int] = sizes.isEmpty ? [1] : sizes
    let made = try context.add(ReshapeStaticOperator(targetShape: target), value)
    return KerasTensor(made, rank: sizes.count)
  }

  /// Reshapes a value to a shape that the model computes at run time.
  private func reshaped(_ value: Graph.ValueID, to parts: [KerasArgument]) throws -> KerasTensor {
    let scalars: [KerasTensor] = try parts.map(context.tensor)
    let shape: KerasTensor
    if scalars.count == 1, scalars[0].rank == 1 {
      shape = scalars[0]
    } else {
      shape = try context.stacked(scalars, axis: 0)
    }
    guard shape.rank == 1,
      let count = context.extents(shape.value, rank: 1)[0]
    else { throw wrong("newshape", "a known number of extents") }
    return KerasTensor(
      try context.add(ReshapeDynamicOperator(), value, shape.value), rank: count)
  }

  fileprivate func squeezed() throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    let value = try context.kerasOrdered(x)
    var axes: [Int] = try (ints("axis") ?? []).map { try axis($0, x.rank) }
    if axes.isEmpty {
      let extents: [Int] = context.extents(value, rank: x.rank).compactMap { $0 }
      guard extents.count == x.rank else { throw wrong("axis", "the axes of one element") }
      axes = extents.indices.filter { extents[$0] == 1 }
    }
    guard axes.count < x.rank else {
      let made = try context.add(ReshapeStaticOperator(targetShape: [1]), value)
      return KerasTensor(made, rank: 0)
    }
    guard !axes.isEmpty else { return x }
    return KerasTensor(
      try context.add(SqueezeOperator(axes: axes.sorted()), value), rank: x.rank - axes.count)
  }

  /// Repeats each element along an axis.
  fileprivate func repeated() throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    guard let times = try int("repeats"), (1...1 << 20).contains(times) else {
      throw wrong("repeats", "one number of 1 or more")
    }
    guard let stated = try int("axis") else { throw wrong("axis", "an axis") }
    let axis: Int = try axis(stated, x.rank)
    let value = try context.kerasOrdered(x)
    var shape: [Int?] = context.extents(value, rank: x.rank)
    guard let extent = shape[axis], shape.filter({ $0 == nil }).count <= 1 else {
      throw context.unsupported("the extents of its input are not known. State them.")
    }
    let apart = try context.add(ExpandDimsOperator(axes: [axis + 1]), value)
    var counts = [Int](repeating: 1, count: x.rank + 1)
    counts[axis + 1] = times
    let many = try context.add(TileOperator(repetitions: counts), apart)
    shape[axis] = extent * times
    let made = try context.add(
      ReshapeStaticOperator(targetShape: shape.map { $0 ?? -1 }), many)
    return KerasTensor(made, rank: x.rank)
  }

  fileprivate func padded() throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    var amounts: [Int] = try ints("pad_width") ?? []
    // A single number, or a single pair of numbers, applies to all axes.
    if amounts.count == 1 { amounts = [Int](repeating: amounts[0], count: 2 * x.rank) }
    if amounts.count == 2 { amounts = (0..<x.rank).flatMap { _ in amounts } }
    guard amounts.count == 2 * x.rank, amounts.allSatisfy({ (0...1 << 20).contains($0) }) else {
      throw wrong("pad_width", "two numbers of 0 or more for each of \(x.rank) axes")
    }
    let mode: String = try text("mode", or: "constant").lowercased()
    let operation: any Operator
    switch mode {
    case "constant":
      operation = ConstantPadOperator(
        value: Float(try number("constant_values", or: 0)), amounts: amounts)
    case "reflect": operation = PadAxesOperator(repeatsEdge: false, amounts: amounts)
    case "edge": operation = PadAxesOperator(repeatsEdge: true, amounts: amounts)
    default: throw wrong("mode", "constant, reflect or edge")
    }
    return KerasTensor(try context.add(operation, context.kerasOrdered(x)), rank: x.rank)
  }
}
