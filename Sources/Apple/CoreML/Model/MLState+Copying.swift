import Foundation

extension MLState {
  /// A copy of a state's values.
  package func copy(of name: String) throws -> MLMultiArray {
    try withState(name) { array in
      let copy = try MLMultiArray(shape: array.shape, dataType: array.dataType)
      array.transfer(to: copy)
      return copy
    }
  }

  /// Overwrites a state's values with those of an array of its shape, in the type of the state.
  package func set(_ name: String, to values: MLMultiArray) throws {
    try withState(name) { array in
      guard values.shape == array.shape else {
        throw MLModelError(
          .parameters,
          "The state '\(name)' has the shape \(array.shape), but the values have \(values.shape).")
      }
      values.transfer(to: array)
    }
  }

  private func withState<Result>(
    _ name: String, _ body: (MLMultiArray) throws -> Result
  ) throws -> Result {
    guard memory?.array(named: name) != nil else {
      let names: String = memory?.states.map { "'\($0.name)'" }.joined(separator: ", ") ?? "none"
      throw MLModelError(
        .parameters, "The model has no state named '\(name)'; it has \(names).")
    }
    return try withMultiArray(for: name, body)
  }
}
