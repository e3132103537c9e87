import Graph
import Operators

/// The windows of a convolution or pooling operator along the spatial axes.
struct Windows {
  /// The extent of a window along each axis, in elements.
  var kernel: [Int]
  /// The distance between adjacent windows along each axis, in elements.
  var strides: [Int]
  /// The distance between adjacent elements of a window along each axis, in elements.
  var dilations: [Int]
  /// The padding before and after each axis of the input.
  var padding: WindowPadding

  /// Reads the windows from the attributes of a node. `axes` is the number of spatial axes.
  ///
  /// - Parameter kernel: The extents of a window, if the weights determine them. If nil, an attribute states them.
  init(_ node: ONNXNode, axes: Int, kernel: [Int]? = nil) throws {
    guard axes > 0 else {
      throw node.invalid("the input has no spatial axes, expected one or more.")
    }
    if let kernel {
      self.kernel = kernel
    } else {
      guard node.has("kernel_shape") else {
        throw node.invalid("the attribute 'kernel_shape' is missing.")
      }
      self.kernel = try node.sizes("kernel_shape", count: axes)
    }
    strides = try node.sizes("strides", count: axes)
    dilations = try node.sizes("dilations", count: axes)
    let kind: String = node.string("auto_pad", or: "NOTSET")
    let none = [Int](repeating: 0, count: axes)
    switch kind {
    case "NOTSET":
      let pads: [Int] = try node.sizes("pads", count: 2 * axes, least: 0, or: 0)
      padding = .amounts(before: Array(pads.prefix(axes)), after: Array(pads.suffix(axes)))
    case "VALID": padding = .amounts(before: none, after: none)
    case "SAME_UPPER": padding = .same(startHeavy: false)
    case "SAME_LOWER": padding = .same(startHeavy: true)
    default:
      throw node.invalid(
        "auto_pad is '\(kind)', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER.")
    }
  }

  /// Adds a spatial axis of extent one before the existing axes.
  mutating func expand() {
    kernel.insert(1, at: 0)
    strides.insert(1, at: 0)
    dilations.insert(1, at: 0)
    padding.expand()
  }

  /// Makes the output of a transposed convolution longer at the end of each axis, by cropping fewer elements at the
  /// end.
  ///
  /// - Returns: For each axis, the number of zeros to append to the input. It is above 0 only if the output would be
  ///   too short even without cropping. Each zero makes the output longer by a stride, and the padding crops the
  ///   surplus.
  mutating func extend(by extra: [Int]) -> [Int] {
    var zeros = [Int](repeating: 0, count: extra.count)
    guard case .amounts(let before, var after) = padding else { return zeros }
    for axis in extra.indices {
      let missing: Int = max(0, extra[axis] - after[axis])
      zeros[axis] = (missing + strides[axis] - 1) / strides[axis]
      after[axis] += zeros[axis] * strides[axis] - extra[axis]
    }
    padding = .amounts(before: before, after: after)
    return zeros
  }

  /// Returns the extent that a window covers along an axis, with the gaps between its dilated elements.
  func span(_ axis: Int) -> Int { (kernel[axis] - 1) * dilations[axis] + 1 }

  /// Returns the padding before and after each axis for an input with these spatial extents.
  func amounts(for extents: [Int]) -> (before: [Int], after: [Int]) {
    switch padding {
    case .amounts(let before, let after): return (before, after)
    case .same(let startHeavy):
      let totals: [Int] = extents.indices.map { axis in
        let count: Int = (extents[axis] + strides[axis] - 1) / strides[axis]
        return max((count - 1) * strides[axis] + span(axis) - extents[axis], 0)
      }
      let before: [Int] = totals.map { startHeavy ? $0 - $0 / 2 : $0 / 2 }
      return (before, zip(totals, before).map { $0 - $1 })
    }
  }
}
