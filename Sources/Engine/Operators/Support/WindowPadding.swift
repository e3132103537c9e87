/// What stands around a tensor over which windows move, for any number of spatial axes, as files of other formats
/// state it; operators say it for the number of axes that they have.
package enum WindowPadding: Sendable, Hashable {
  /// Amounts before and after each axis.
  case amounts(before: [Int], after: [Int])
  /// As much that sizes change by the stride alone; the odd element in front, or at the end.
  case same(startHeavy: Bool)

  /// That of a convolution of pictures.
  package init(_ padding: ConvolutionOperator.Padding) {
    switch padding {
    case .same(let startHeavy): self = .same(startHeavy: startHeavy)
    case .valid(let top, let left, let bottom, let right):
      self = .amounts(before: [top, left], after: [bottom, right])
    }
  }

  /// That of a convolution of volumes.
  package init(_ padding: Convolution3DOperator.Padding) {
    switch padding {
    case .same: self = .same(startHeavy: false)
    case .sameLower: self = .same(startHeavy: true)
    case .custom(let before, let after): self = .amounts(before: before, after: after)
    }
  }

  /// That of a pooling of volumes.
  package init(_ padding: Pooling3DOperator.Padding) {
    switch padding {
    case .same: self = .same(startHeavy: false)
    case .sameLower: self = .same(startHeavy: true)
    case .custom(let before, let after): self = .amounts(before: before, after: after)
    }
  }

  /// Two axes around pictures that are convolved.
  package var aroundPictures: ConvolutionOperator.Padding {
    switch self {
    case .same(let startHeavy): .same(topLeftHeavy: startHeavy)
    case .amounts(let before, let after):
      .valid(top: before[0], left: before[1], bottom: after[0], right: after[1])
    }
  }

  /// Three axes around volumes that are convolved.
  package var aroundVolumes: Convolution3DOperator.Padding {
    switch self {
    case .same(let startHeavy): startHeavy ? .sameLower : .same
    case .amounts(let before, let after): .custom(before: before, after: after)
    }
  }

  /// Three axes around volumes that are pooled.
  package var aroundPooledVolumes: Pooling3DOperator.Padding {
    switch self {
    case .same(let startHeavy): startHeavy ? .sameLower : .same
    case .amounts(let before, let after): .custom(before: before, after: after)
    }
  }

  /// Puts an axis of extent one in front.
  package mutating func expand() {
    if case .amounts(let before, let after) = self {
      self = .amounts(before: [0] + before, after: [0] + after)
    }
  }
}

extension ConvolutionOperator {
  /// The padding of a transposed convolution less the rows and columns that it gives beyond its natural size: so
  /// many fewer are cut off. Nil where fewer are.
  package var paddingLessRows: WindowPadding? {
    guard outputPadding != Pair(0, 0) else { return WindowPadding(padding) }
    guard case .amounts(let before, let after) = WindowPadding(padding) else { return nil }
    let left: [Int] = [after[0] - outputPadding.height, after[1] - outputPadding.width]
    return left.allSatisfy { $0 >= 0 } ? .amounts(before: before, after: left) : nil
  }

  /// Rows and columns of zeros after the input with which a transposed convolution gives the rows beyond its natural
  /// size, and what is cut off then: each row makes a stride more. Nil where the padding follows the size.
  package var zerosForRows: (amounts: EdgeAmounts, padding: WindowPadding)? {
    guard case .amounts(let before, var after) = WindowPadding(padding) else { return nil }
    let extra: [Int] = [outputPadding.height, outputPadding.width]
    let strides: [Int] = [stride.height, stride.width]
    var rows: [Int] = [0, 0]
    for axis in 0..<2 {
      rows[axis] = (max(0, extra[axis] - after[axis]) + strides[axis] - 1) / strides[axis]
      after[axis] += rows[axis] * strides[axis] - extra[axis]
    }
    return (
      EdgeAmounts(top: 0, bottom: rows[0], left: 0, right: rows[1]),
      .amounts(before: before, after: after)
    )
  }
}

extension Convolution3DOperator {
  /// A convolution by weights of this shape: `[O, C / groups, d, h, w]`, or for the transpose
  /// `[C, O / groups, d, h, w]`.
  package init(
    weights shape: [Int], groups: Int, stride: [Int], dilation: [Int], padding: WindowPadding,
    isTransposed: Bool, outputShape: [Int]?, hasBias: Bool
  ) {
    self.init(
      inputChannels: isTransposed ? shape[0] : shape[1] * groups,
      outputChannels: isTransposed ? shape[1] * groups : shape[0], groups: groups,
      kernel: Array(shape.dropFirst(2)), stride: stride, dilation: dilation,
      padding: padding.aroundVolumes, isTransposed: isTransposed, outputShape: outputShape,
      hasBias: hasBias)
  }
}
