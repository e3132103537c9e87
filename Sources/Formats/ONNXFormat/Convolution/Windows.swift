import Graph
import Operators

/// Windows that move over spatial axes, as convolutions and poolings state them.
struct Windows {
  /// The extents of a window.
  var kernel: [Int]
  /// The step between windows.
  var strides: [Int]
  /// The step within a window.
  var dilations: [Int]
  /// What stands around the tensor.
  var padding: WindowPadding

  /// The attributes of a node over so many axes.
  ///
  /// - Parameter kernel: the window's extents where the weights tell them.
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

  /// The same windows with an axis of extent one in front.
  mutating func expand() {
    kernel.insert(1, at: 0)
    strides.insert(1, at: 0)
    dilations.insert(1, at: 0)
    padding.expand()
  }

  /// Lets a transposed convolution give more at the end of each axis, by cutting off less.
  ///
  /// - Returns: The elements of zeros that its input needs after each axis, where less is cut off than is added:
  ///   they make as many strides more, of which the rest is cut off.
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

  /// The extent of a window with its steps.
  func span(_ axis: Int) -> Int { (kernel[axis] - 1) * dilations[axis] + 1 }

  /// The amounts before and after each axis of an input of these extents.
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
