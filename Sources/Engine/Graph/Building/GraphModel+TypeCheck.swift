extension GraphModel {
  /// Checks the model with the operators' shape inference, as planning does. Inputs have their fixed extents or their
  /// default shape. For the remaining free extents, tries several numbers, one after the other.
  ///
  /// Shape inference may reject some numbers for a free extent and accept others. This method throws only if all
  /// numbers give the same error message, because the fault then does not depend on the extent.
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
        // The custom layer classes compute their output shapes when the model runs, so the check ends here.
        if error.code == .customLayer { return }
        if types == inputTypes(free: number + 1) { throw error }
        if let known = fault, known.message != error.message { return }
        fault = error
      }
    }
    if let fault { throw fault }
  }

  /// The numbers with which shape inference replaces free extents.
  private static let triedExtents: [Int] = [64, 96, 1, 7, 224]

  /// Returns the types of the inputs. An input with a default shape has this shape. In every other input, `number`
  /// replaces each free extent, clamped to the extent's bounds. The type is nil if not even the rank of the input is
  /// known.
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
