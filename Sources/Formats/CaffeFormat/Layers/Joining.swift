import Graph
import Operators

extension CaffeLayerReader {
  /// Layers that concatenate inputs, or split one input into several outputs.
  static let joining: [CaffeLayerReader] = [
    CaffeLayerReader(
      "Concat", "concat", fields: KnownFields(["axis", "concat_dim"])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("concat")
      let rank: Int = try context.rank(try context.input())
      let stated: Int = try parameters.int("axis", or: try parameters.int("concat_dim", or: 1))
      let axis: Int = try context.axis(stated, rank: rank)
      if context.inputs.count == 1 { return context.inputs[0] }
      return try context.add(
        rank == 4 && axis == 1 ? ConcatOperator() : ConcatNDOperator(axis: axis), context.inputs)
    },
    CaffeLayerReader(
      several: "Slice", "slice", fields: KnownFields(["axis", "slice_dim", "slice_point"])
    ) { try $0.slices() },
    CaffeLayerReader(several: "Split") { context in
      let x = try context.input()
      return [Graph.ValueID](repeating: x, count: context.layer.tops.count)
    },
  ]
}

extension CaffeContext {
  fileprivate func slices() throws -> [Graph.ValueID] {
    let parameters: CaffeMessage = layer.parameters("slice")
    let x = try input()
    let extents: [Int?] = try extents(x)
    let axis: Int = try axis(
      parameters.int("axis", or: try parameters.int("slice_dim", or: 1)), rank: extents.count)
    guard let extent = extents[axis] else {
      throw unsupported("the extent of the axis that it splits is not known.")
    }
    let count: Int = layer.tops.count
    var points: [Int] = try parameters.ints("slice_point")
    if points.isEmpty {
      guard count > 0, extent % count == 0 else {
        throw invalid("an extent of \(extent) cannot be split into \(count) equal parts.")
      }
      points = (1..<count).map { $0 * extent / count }
    }
    let bounds: [Int] = [0] + points + [extent]
    guard points.count + 1 == count, zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw invalid(
        "an extent of \(extent) cannot be split at \(points) into \(count) parts.")
    }
    if count == 1 { return [x] }
    return try zip(bounds, bounds.dropFirst()).map { begin, end in
      var slices = [AxisSlice](repeating: AxisSlice(), count: extents.count)
      slices[axis] = AxisSlice(begin: begin, end: end)
      return try add(SliceStaticOperator(slices: slices), x)
    }
  }
}
