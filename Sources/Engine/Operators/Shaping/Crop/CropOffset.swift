import Graph

/// Methods for operators with a residual: an image that the operator adds to its result. The operator first crops the
/// residual, starting at this offset.
extension CropOperator.Offset {
  /// Throws if a residual `image` is not large enough for a result of the shape `result`. From this offset on, the
  /// image must have at least as many rows and columns as the result. On all other axes, the image must have the
  /// extents of the result.
  package func require(_ image: Shape, covers result: Shape) throws {
    guard image.rank == result.rank, image.rank >= 3,
      image.dimensions.dropLast(2) == result.dimensions.dropLast(2),
      image[-2] >= result[-2] + top, image[-1] >= result[-1] + left
    else {
      throw EngineError(
        .invalidInput,
        "the residual is \(image), too small to be added to \(result) from row \(top) and column \(left) on."
      )
    }
  }

  /// Returns the index in the uncropped image that corresponds to an index of the result.
  package func sourceIndex(of index: [Int]) -> [Int] {
    var sourceIndex = index
    sourceIndex[sourceIndex.count - 2] += top
    sourceIndex[sourceIndex.count - 1] += left
    return sourceIndex
  }

  /// Returns the offset, in bytes, of the crop's first pixel in the channels-last image `image`.
  package func byteOffset(in image: TensorDescriptor) -> Int {
    (top * image.shape[-1] + left) * image.shape[-3] * image.storage.byteCount
  }
}
