/// The padding of a tensor for sliding windows, with any number of spatial axes. Readers and writers of other formats
/// use this type, because the operators' own padding types have a fixed number of axes.
package enum WindowPadding: Sendable, Hashable {
  /// The numbers of elements to add before and after each axis.
  case amounts(before: [Int], after: [Int])
  /// Padding that makes the output size ⌈input size / stride⌉. If the number of added elements is odd, the additional
  /// element is at the start of the axis if `startHeavy` is true, otherwise at the end.
  case same(startHeavy: Bool)

  /// Converts the padding of a 2D convolution.
  package init(_ padding: ConvolutionOperator.Padding) {
    switch padding {
    case .same(let startHeavy): self = .same(startHeavy: startHeavy)
    case .valid(let top, let left, let bottom, let right):
      self = .amounts(before: [top, left], after: [bottom, right])
    }
  }

  /// Converts the padding of a 3D convolution.
  package init(_ padding: Convolution3DOperator.Padding) {
    switch padding {
    case .same: self = .same(startHeavy: false)
    case .sameLower: self = .same(startHeavy: true)
    case .custom(let before, let after): self = .amounts(before: before, after: after)
    }
  }

  /// Converts the padding of a 3D pooling.
  package init(_ padding: Pooling3DOperator.Padding) {
    switch padding {
    case .same: self = .same(startHeavy: false)
    case .sameLower: self = .same(startHeavy: true)
    case .custom(let before, let after): self = .amounts(before: before, after: after)
    }
  }

  /// This padding, which has two axes, as the padding of a 2D convolution.
  package var for2D: ConvolutionOperator.Padding {
    switch self {
    case .same(let startHeavy): .same(topLeftHeavy: startHeavy)
    case .amounts(let before, let after):
      .valid(top: before[0], left: before[1], bottom: after[0], right: after[1])
    }
  }

  /// This padding, which has three axes, as the padding of a 3D convolution.
  package var for3D: Convolution3DOperator.Padding {
    switch self {
    case .same(let startHeavy): startHeavy ? .sameLower : .same
    case .amounts(let before, let after): .custom(before: before, after: after)
    }
  }

  /// This padding, which has three axes, as the padding of a 3D pooling.
  package var forPooling3D: Pooling3DOperator.Padding {
    switch self {
    case .same(let startHeavy): startHeavy ? .sameLower : .same
    case .amounts(let before, let after): .custom(before: before, after: after)
    }
  }

  /// Inserts an axis without padding before the first axis.
  package mutating func expand() {
    if case .amounts(let before, let after) = self {
      self = .amounts(before: [0] + before, after: [0] + after)
    }
  }
}

extension ConvolutionOperator {
  /// The padding of a transposed convolution minus the convolution's output padding. A transposed convolution cuts the
  /// padding off its output and then adds the output padding. The smaller padding without output padding therefore
  /// gives the same result. Nil if the output padding is larger than the padding.
  package var paddingLessRows: WindowPadding? {
    guard outputPadding != Pair(0, 0) else { return WindowPadding(padding) }
    guard case .amounts(let before, let after) = WindowPadding(padding) else { return nil }
    let left: [Int] = [after[0] - outputPadding.height, after[1] - outputPadding.width]
    return left.allSatisfy { $0 >= 0 } ? .amounts(before: before, after: left) : nil
  }

  /// The changes that replace the output padding of a transposed convolution: `amounts` are the numbers of rows and
  /// columns of zeros to add after the input. Each row or column makes the output one stride longer. `padding` is the
  /// new padding, which the convolution cuts off this longer output. Nil for *same* padding.
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
  /// Creates a convolution whose weights have the shape `[O, C / groups, d, h, w]`, or `[C, O / groups, d, h, w]` if
  /// `isTransposed` is true.
  package init(
    weights shape: [Int], groups: Int, stride: [Int], dilation: [Int], padding: WindowPadding,
    isTransposed: Bool, outputShape: [Int]?, hasBias: Bool
  ) {
    self.init(
      inputChannels: isTransposed ? shape[0] : shape[1] * groups,
      outputChannels: isTransposed ? shape[1] * groups : shape[0], groups: groups,
      kernel: Array(shape.dropFirst(2)), stride: stride, dilation: dilation,
      padding: padding.for3D, isTransposed: isTransposed, outputShape: outputShape,
      hasBias: hasBias)
  }
}
