import Engine

extension MLTensor {
  /// The method of interpolation for resizing a tensor.
  public enum ResizeMethod: Sendable, Hashable {
    /// Bilinear interpolation. If `alignCorners` is true, the centres of the corner elements keep their positions.
    /// Otherwise, the outer edges of the corner elements keep their positions.
    case bilinear(alignCorners: Bool = false)
    /// The nearest element.
    case nearestNeighbor
  }

  /// Resizes the last two axes to a height and a width in elements.
  public func resized(
    to size: (newHeight: Int, newWidth: Int), method: ResizeMethod = .nearestNeighbor
  ) -> MLTensor {
    precondition(
      rank >= 2 && size.newHeight > 0 && size.newWidth > 0,
      "A tensor of shape \(shape) cannot be resized to \(size.newHeight) × \(size.newWidth).")
    let target: [Int] = shape.dropLast(2) + [size.newHeight, size.newWidth]
    // The resize operators need an axis of channels before the height and the width.
    let image: MLTensor = rank == 2 ? expandingShape(at: 0) : self
    let made: MLTensor
    switch method {
    case .nearestNeighbor:
      made = .make(
        ResizeOperator(
          sizes: [size.newHeight, size.newWidth], mode: .nearest, grid: .pixelCentres),
        of: [image], element: element, isExact: true)
    case .bilinear(let alignsCorners):
      let real: MLTensor = element.isFloatingPoint ? image : image.cast(to: .float32)
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
