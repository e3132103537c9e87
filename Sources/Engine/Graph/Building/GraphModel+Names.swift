extension GraphModel {
  /// Checks that no two inputs have the same name, and that no two outputs have the same name. Callers identify inputs
  /// and outputs only by name, and no output format allows duplicates.
  ///
  /// - Throws: ``EngineError`` that names the duplicate.
  public func requireDistinctNames() throws {
    for (kind, features) in [("inputs", inputs), ("outputs", outputs)] {
      var seen: Set<String> = []
      for feature in features where !seen.insert(feature.name).inserted {
        throw EngineError(
          .invalidModel,
          "The model has two \(kind) named '\(feature.name)', expected distinct names. Export the model again with other names."
        )
      }
    }
  }
}
