extension GraphModel {
  /// Asks the operators' type rules whether the graph can be planned, as planning does: for the model's own
  /// extents, or where they are free for several.
  ///
  /// A rule that looks at a free extent may refuse some numbers and take others. What all numbers are refused for
  /// in the same words depends on none of them.
  ///
  /// - Throws: ``EngineError`` that names the layer.
  public func checkTypes() throws {
    var fault: EngineError?
    for number in Self.triedExtents {
      let types: [TensorType?] = inputTypes(free: number)
      var typed: Graph = graph
      do {
        try typed.inferTypes(from: types)
        return
      } catch let error as EngineError {
        // Classes of the caller's are asked when the model runs.
        if error.code == .customLayer { return }
        if types == inputTypes(free: number + 1) { throw error }
        if let known = fault, known.message != error.message { return }
        fault = error
      }
    }
    if let fault { throw fault }
  }

  /// The numbers that are tried in the place of free extents.
  private static let triedExtents: [Int] = [64, 96, 1, 7, 224]

  /// The types of the inputs with a number in the place of each free extent, as far as its bounds allow; nil where
  /// not even the rank is known.
  private func inputTypes(free number: Int) -> [TensorType?] {
    inputs.map { feature in
      let numbers: [Int]? =
        feature.usual
        ?? feature.extents?.map { extent in
          min(max(number, extent.lower), max(extent.lower, extent.upper ?? Int.max))
        }
      return numbers.map { TensorType(Shape($0), feature.held) }
    }
  }
}
