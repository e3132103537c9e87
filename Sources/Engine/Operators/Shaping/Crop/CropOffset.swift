import Graph

/// What a residual needs of the place where a crop starts.
extension CropOperator.Offset {
  /// Throws when a picture has fewer rows or columns than another from this place on, or other
  /// channels.
  package func require(_ picture: Shape, covers result: Shape) throws {
    guard picture.rank == result.rank, picture.rank >= 3,
      picture.dimensions.dropLast(2) == result.dimensions.dropLast(2),
      picture[-2] >= result[-2] + top, picture[-1] >= result[-1] + left
    else {
      throw EngineError(
        .invalidInput,
        "the residual is \(picture), too small to be added to \(result) from row \(top) and column \(left) on."
      )
    }
  }

  /// The index in the larger picture that meets an index of the result.
  package func place(of index: [Int]) -> [Int] {
    var place = index
    place[place.count - 2] += top
    place[place.count - 1] += left
    return place
  }

  /// The distance of the first pixel from the start of a channels-last picture, in bytes.
  package func byteOffset(in picture: TensorDescriptor) -> Int {
    (top * picture.shape[-1] + left) * picture.shape[-3] * picture.storage.byteCount
  }
}
