import Graph
import Operators

extension KerasOperationReader {
  /// Operations that concatenate or stack tensors, or split a tensor.
  static let joining: [KerasOperationReader] = [
    KerasOperationReader("concatenate", "concat", parameters: "xs|values axis") { operation in
      let parts: [KerasTensor] = try operation.tensors("xs")
      // If no axis is given, Keras concatenates along the first axis.
      return try operation.context.with(parts, []).joined(axis: operation.int("axis") ?? 0)
    },
    KerasOperationReader("stack", parameters: "x|xs|values axis") { operation in
      try operation.context.stacked(operation.tensors("x"), axis: operation.int("axis") ?? 0)
    },
    KerasOperationReader(
      several: "split",
      parameters: "x|value sections|indices_or_sections sizes|num_or_size_splits axis num"
    ) { try $0.parts() },
    KerasOperationReader(several: "unstack", parameters: "x|value num axis") { operation in
      let x: KerasTensor = try operation.tensor()
      let axis: Int = try operation.axis(operation.int("axis") ?? 0, x.rank)
      let extent: Int = try operation.extent(axis, of: x)
      return try (0..<extent).map { try operation.item($0, of: x, axis: axis) }
    },
  ]
}

extension KerasOperation {
  /// Returns the extent of an axis in Keras's order. Throws if the extent is unknown, or too large for a list of
  /// outputs.
  fileprivate func extent(_ axis: Int, of x: KerasTensor) throws -> Int {
    guard let position = x.graphAxis(of: axis),
      let extent = context.extents(x.value, rank: x.rank)[position],
      extent <= 1 << 12
    else {
      throw context.unsupported(
        "the extent of the axis that it splits is not known, or larger than \(1 << 12). State the extents of the inputs."
      )
    }
    return extent
  }

  fileprivate func parts() throws -> [KerasTensor] {
    let x: KerasTensor = try tensor()
    // If no axis is given, Keras and TensorFlow split along the first axis.
    let axis: Int = try axis(int("axis") ?? 0, x.rank)
    let extent: Int = try extent(axis, of: x)
    var bounds: [Int] = [0]
    let name: String = has("sections") ? "sections" : "sizes"
    let stated: [Int] = try ints(name) ?? []
    var isList = false
    if case .list = try argument(name) { isList = true }
    if !isList, let count = stated.first, stated.count == 1 {
      guard count > 0, extent % count == 0 else {
        throw wrong(name, "a number that divides \(extent)")
      }
      bounds = (0...count).map { $0 * extent / count }
    } else if name == "sections" {
      bounds += stated + [extent]
    } else {
      let known: Int = stated.filter { $0 >= 0 }.reduce(0, +)
      for size in stated { bounds.append((bounds.last ?? 0) + (size < 0 ? extent - known : size)) }
    }
    guard bounds.last == extent, zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw wrong(name, "parts of 1 or more with a sum of \(extent)")
    }
    return try zip(bounds, bounds.dropFirst()).map { begin, end in
      var slices = [AxisSlice](repeating: AxisSlice(), count: x.rank)
      slices[axis] = AxisSlice(begin: begin, end: end)
      let made = try context.add(SliceStaticOperator(slices: slices), context.kerasOrdered(x))
      return KerasTensor(made, rank: x.rank)
    }
  }

  /// Takes the elements at one index of an axis and removes the axis.
  func item(_ index: Int, of x: KerasTensor, axis: Int) throws -> KerasTensor {
    var slices = [AxisSlice](repeating: AxisSlice(), count: x.rank)
    slices[axis] = AxisSlice(begin: index, end: index == -1 ? nil : index + 1)
    let part = try context.add(SliceStaticOperator(slices: slices), context.kerasOrdered(x))
    // If the axis is the only one, it stays as a vector of one element, which represents a scalar.
    guard x.rank > 1 else { return KerasTensor(part, rank: 0) }
    return KerasTensor(
      try context.add(SqueezeOperator(axes: [axis]), part), rank: x.rank - 1)
  }
}
