import Graph

/// The folding of some axes of a tensor: what all reducing operators come down to for a given rank.
public struct AxisReduction: Sendable {
  /// How values become one.
  public let mode: ReductionMode
  /// The axes that are folded, each once, in rising order.
  public let axes: [Int]
  /// Whether folded axes stay with an extent of one.
  public let keepsAxes: Bool
  /// What becomes of integers that the type cannot hold.
  public var overflow = IntegerOverflow.wraps

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
    ReferenceTensor(
      outputShape(of: input.shape), gathered(input.values, input.shape).map(mode.callAsFunction))
  }

  /// The definition in integers; nil where there is none.
  package func wholeReference(_ input: ReferenceTensor) -> ReferenceTensor? {
    let shape: Shape = outputShape(of: input.shape)
    let element: ElementType = mode.element(of: input.element)
    let folded: [Int64] = gathered(input.wholes, input.shape).compactMap {
      mode.whole($0, overflow, as: element)
    }
    guard folded.count == shape.count else { return nil }
    return ReferenceTensor(shape, wholes: folded.map(element.wrapped), element)
  }

  /// The values that become each one of the output.
  private func gathered<Value>(_ values: [Value], _ shape: Shape) -> [[Value]] {
    var kept = shape
    for axis in axes { kept[axis] = 1 }
    let strides = kept.strides
    var result = [[Value]](repeating: [], count: kept.count)
    shape.forEachIndex { index, position in
      var target = 0
      for axis in index.indices where !axes.contains(axis) { target += index[axis] * strides[axis] }
      result[target].append(values[position])
    }
    return result
  }
}
