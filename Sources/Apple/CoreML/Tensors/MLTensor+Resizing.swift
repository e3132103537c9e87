import Engine

extension MLTensor {
  /// How a tensor is resized.
  public enum ResizeMethod: Sendable, Hashable {
    /// Each element is weighed from the four around its place. With aligned corners the first and the last
    /// rows and columns keep their places; otherwise the edges of the outermost elements do.
    case bilinear(alignCorners: Bool = false)
    /// Each element is the one that its place falls into.
    case nearestNeighbor
  }

  /// The tensor with other lengths of its last two axes, height and width.
  public func resized(
    to size: (newHeight: Int, newWidth: Int), method: ResizeMethod = .nearestNeighbor
  ) -> MLTensor {
    precondition(
      rank >= 2 && size.newHeight > 0 && size.newWidth > 0,
      "A tensor of shape \(shape) cannot be resized to \(size.newHeight) × \(size.newWidth).")
    let target: [Int] = shape.dropLast(2) + [size.newHeight, size.newWidth]
    // A kernel for pictures has an axis of channels.
    let picture: MLTensor = rank == 2 ? expandingShape(at: 0) : self
    let made: MLTensor
    switch method {
    case .nearestNeighbor:
      made = .make(
        ResizeOperator(
          sizes: [size.newHeight, size.newWidth], mode: .nearest, grid: .pixelCentres),
        of: [picture], element: element, isExact: true)
    case .bilinear(let alignsCorners):
      let real: MLTensor = element.isFloatingPoint ? picture : picture.cast(to: .float32)
      made = MLTensor.make(
        ResizeBilinearOperator(
          height: size.newHeight, width: size.newWidth,
          grid: alignsCorners ? .strictAlignEndpoints : .pixelCentres),
        of: [real], element: real.element
      ).cast(to: element)
    }
    return made.reshaped(to: target)
  }
}
