import Graph

/// The folding of some axes of a tensor: what all reducing operators come down to for a given rank.
public struct AxisReduction: Sendable {
  /// How values become one.
  public let mode: ReductionMode
  /// The axes that are folded, each once, in rising order.
  public let axes: [Int]
  /// Whether folded axes stay with an extent of one.
  public let keepsAxes: Bool

  /// The shape after folding. Where nothing is left of it, one dimension of one stays: Core ML has
  /// no scalars.
  package func outputShape(of shape: Shape) -> Shape {
    var extents: [Int] = []
    for (axis, extent) in shape.dimensions.enumerated() {
      if !axes.contains(axis) {
        extents.append(extent)
      } else if keepsAxes {
        extents.append(1)
      }
    }
    return extents.isEmpty ? [1] : Shape(extents)
  }

  /// The definition.
  package func reference(_ input: ReferenceTensor) -> ReferenceTensor {
    var result = ReferenceTensor(outputShape(of: input.shape))
    var gathered = [[Double]](repeating: [], count: result.shape.count)
    var kept = input.shape
    for axis in axes { kept[axis] = 1 }
    let strides = kept.strides
    input.shape.forEachIndex { index, position in
      var target = 0
      for axis in index.indices where !axes.contains(axis) { target += index[axis] * strides[axis] }
      gathered[target].append(input.values[position])
    }
    for position in gathered.indices { result.values[position] = mode(gathered[position]) }
    return result
  }
}
