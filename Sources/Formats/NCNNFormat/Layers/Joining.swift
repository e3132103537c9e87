import Graph
import Operators

extension NCNNLayerReader {
  /// Layers that concatenate inputs, or split one input into several outputs.
  static let joining: [NCNNLayerReader] = [
    NCNNLayerReader("Concat", [0]) { context in
      let rank: Int = try context.rank(try context.input())
      let axis: Int = try context.axis(context.parameters.int(0, or: 0), rank: rank)
      if context.inputs.count == 1 { return context.inputs[0] }
      return try context.add(
        rank == 4 && axis == 1 ? ConcatOperator() : ConcatNDOperator(axis: axis), context.inputs)
    },
    NCNNLayerReader(several: "Slice", [0, 1, 2]) { try $0.slices() },
    NCNNLayerReader(several: "Split") { context in
      [Graph.ValueID](repeating: try context.input(), count: context.layer.tops.count)
    },
  ]
}

extension NCNNContext {
  fileprivate func slices() throws -> [Graph.ValueID] {
    /// The number in the place of an extent that means an equal share of the rest.
    let share: Int = -233
    let x: Graph.ValueID = try input()
    let extents: [Int?] = try extents(x)
    let axis: Int = try axis(parameters.int(1, or: 0), rank: extents.count)
    guard let extent = extents[axis] else {
      throw unsupported("the extent of the axis that it splits is not known.")
    }
    let count: Int = layer.tops.count
    var bounds: [Int] = [0]
    if parameters.has(2) {
      let indices: [Int] = try parameters.ints(2).map { $0 < 0 ? $0 + extent : $0 }
      bounds += indices.prefix(count - 1) + [extent]
    } else {
      let sizes: [Int] = try parameters.ints(0)
      guard sizes.count == count else {
        throw invalid("it states \(sizes.count) extents for \(count) outputs.")
      }
      for (index, size) in sizes.enumerated() {
        let rest: Int = extent - (bounds.last ?? 0)
        bounds.append((bounds.last ?? 0) + (size == share ? rest / (count - index) : size))
      }
    }
    guard bounds.count == count + 1, bounds.last == extent,
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 })
    else {
      throw invalid("an extent of \(extent) cannot be split at \(bounds) into \(count) parts.")
    }
    return try zip(bounds, bounds.dropFirst()).map { begin, end in
      var slices = [AxisSlice](repeating: AxisSlice(), count: extents.count)
      slices[axis] = AxisSlice(begin: begin, end: end)
      return try add(SliceStaticOperator(slices: slices), x)
    }
  }
}
